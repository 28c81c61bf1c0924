"""Lines and rows of text files."""
