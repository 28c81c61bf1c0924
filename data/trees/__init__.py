"""Readers of treebanks, bracketed trees and parser output."""
