"""Training of the paraphrase model from labelled sentence pairs."""
