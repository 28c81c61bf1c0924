"""Training of the contextual aligner: its link model."""
