"""The phrase aligner on packed parse forests (Arase & Tsujii, EMNLP 2017)."""
