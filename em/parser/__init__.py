"""Training of the parser and the tagger."""
