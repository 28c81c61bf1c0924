"""Learning the model of chunk pairs from chunks that people aligned."""
