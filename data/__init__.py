"""Readers and writers of corpora and formats, and the bundled English resources."""
