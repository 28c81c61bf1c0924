"""Fits what the trainers learn: gradient descent, L-BFGS, logistic regressions, small networks, and folds."""
