"""benepar's chart parser, with any version of transformers.

benepar 0.2.0 asks tokenizers for ``build_inputs_with_special_tokens``, which transformers 5 has removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MethodType, SimpleNamespace
from typing import Any

from forest_align.parsing.networks.isolated_imports import import_isolated

_METHOD = "build_inputs_with_special_tokens"


def chart_parser() -> Any:
    """The class ``benepar.parse_chart.ChartParser``, whose retokenizer gets tokenizers with all it asks for.

    Raises ImportError if benepar or transformers cannot be imported.
    """
    retokenization: Any = import_isolated("benepar.retokenization")
    if not isinstance(retokenization.transformers, SimpleNamespace):
        # The module uses nothing else of transformers.
        loader = retokenization.transformers.AutoTokenizer
        retokenization.transformers = SimpleNamespace(AutoTokenizer=_TokenizerLoader(loader))
    return import_isolated("benepar.parse_chart").ChartParser


class _TokenizerLoader:
    """transformers' ``AutoTokenizer``; its tokenizers get the method if they lack it."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def from_pretrained(self, *arguments: Any, **options: Any) -> Any:
        tokenizer = self._loader.from_pretrained(*arguments, **options)
        if not hasattr(tokenizer, _METHOD):
            setattr(tokenizer, _METHOD, MethodType(with_special_tokens, tokenizer))
        return tokenizer


def with_special_tokens(tokenizer: Any, numbers: Sequence[int]) -> list[int]:
    """The numbers of some tokens, between those that the tokenizer puts around every text."""
    encoded = tokenizer("a", return_special_tokens_mask=True)
    around, is_special = list(encoded["input_ids"]), list(encoded["special_tokens_mask"])
    before = is_special.index(0)
    after = len(is_special) - is_special[::-1].index(0)
    return [*around[:before], *numbers, *around[after:]]
