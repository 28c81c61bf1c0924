"""Training of the lexical model of word candidates."""
