"""Preparation of training corpora, shared by all trainers."""
