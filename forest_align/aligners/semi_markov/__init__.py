"""The semi-Markov phrase aligner (Yao, Van Durme, Callison-Burch & Clark, 2013)."""
