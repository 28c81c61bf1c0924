"""Training of sentence alignment: documents with known alignments, and the regressions of links."""
