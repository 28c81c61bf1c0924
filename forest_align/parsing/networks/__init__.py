"""The neural networks of the parser and the tagger, and their model files."""
