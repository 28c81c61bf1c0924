"""The word aligner with a trained link model over lexical and contextual features."""
