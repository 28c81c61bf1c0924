"""The commands of ``forest-align``, one module a command."""

__all__ = ["align", "benchmark", "convert", "evaluate", "extract", "parse", "serve", "train", "tune"]
