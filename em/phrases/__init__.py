"""Learning of the phrase-pair model from marked phrases and from word links made by hand."""
