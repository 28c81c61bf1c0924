"""The service in the browser: alignments of typed sentences or of a file, as pages."""
