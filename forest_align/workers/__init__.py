"""Processes and threads that share out work."""
