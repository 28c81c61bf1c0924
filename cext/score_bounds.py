"""How large the scores may be that kernels add up.

Sums of larger scores lose the digits after the point, on which probabilities depend, and overflow in the end.
"""

#: Largest absolute value of a finite score or log-probability. Sums of a thousand keep about six digits.
LARGEST_SCORE = 1e6
