"""One module for each file format of sentence pairs."""
