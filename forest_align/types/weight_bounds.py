"""How large the weights of a model may be."""

#: Largest absolute value of a weight, far above the largest of the bundled models. Larger ones
#: indicate a damaged file. Scores computed from them would exceed those that kernels take, see
#: :data:`forest_align.cext.score_bounds.LARGEST_SCORE`.
LARGEST_WEIGHT = 1e4
