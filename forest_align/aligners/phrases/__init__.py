"""Correspondence of phrases by evidence of their own."""
