"""Phrase tables: count, store and write the phrases that correspond."""
