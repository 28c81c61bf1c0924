"""The commands of ``forest-align``, one module a command."""
