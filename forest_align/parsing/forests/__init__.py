"""Packed forests: from span scores, n-best lists, or given trees.

:mod:`forest_align.parsing` offers the constructors that take trees of the user.
"""
