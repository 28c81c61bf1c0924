"""The commands of ``forest-align``, one module a command."""

__all__ = [
    *("align", "benchmark", "convert", "evaluate", "extract", "licences", "parse", "serve", "train", "tune"),
]
