"""Word candidates: which word pairs the structured aligners consider, with what probability."""
