"""Typed dependencies and named entities of a parsed sentence."""
