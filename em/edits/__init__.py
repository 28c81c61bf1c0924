"""Learns from marked edits how people divide changes into edits."""
