"""Processes, files and the terminal: parallel work, atomic writes, progress bars, types of arguments."""
