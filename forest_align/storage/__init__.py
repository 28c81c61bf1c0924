"""Files that survive a kill: atomic writes, run records, fingerprints."""
