"""The word aligner of Sultan, Bethard & Sumner (2014)."""
