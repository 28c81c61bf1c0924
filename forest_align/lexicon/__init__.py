"""Lexical evidence: which two words may correspond, and why."""
