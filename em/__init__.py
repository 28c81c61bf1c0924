"""Feature-enhanced Viterbi EM and the hyper-parameter sweep."""
