"""Training of the forest aligner: feature-enhanced Viterbi EM."""
