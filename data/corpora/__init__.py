"""Preparation of aligned corpora: other tokenizations and phrasal versions of them."""
