"""Views of alignments for people: text, HTML, a browser."""
