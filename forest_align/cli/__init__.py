"""The ``forest-align`` command line."""
