"""The commands of ``forest-align``; those that share their work share a module."""

__all__ = [
    *("align", "benchmark", "convert", "evaluate", "extract", "licences", "parse", "serve", "train", "tune"),
]
