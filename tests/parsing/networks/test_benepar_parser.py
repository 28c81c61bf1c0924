"""What benepar asks of tokenizers, with the version of transformers that is installed."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from forest_align.parsing.networks.benepar_parser import _TokenizerLoader, chart_parser, with_special_tokens
from forest_align.parsing.networks.isolated_imports import import_isolated


def tokenizer(template: str) -> Any:
    """A tokenizer of single letters that puts special tokens around a text."""
    vocabulary = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "b": 3}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    special = [(name, number) for name, number in vocabulary.items() if name in template]
    inner.post_processor = processors.TemplateProcessing(single=template, special_tokens=special)
    return PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("[CLS] $A [SEP]", [1, -100, 7, 2]),
        ("$A [SEP]", [-100, 7, 2]),
        ("[CLS] $A", [1, -100, 7]),
        ("$A [SEP] [CLS]", [-100, 7, 2, 1]),
        ("$A", [-100, 7]),
    ],
)
def test_numbers_stand_between_the_special_tokens_of_a_text(template: str, expected: list[int]) -> None:
    # The letter that stands for the text is unknown to this tokenizer, which makes it no special token.
    assert with_special_tokens(tokenizer(template), [-100, 7]) == expected


class Removed:
    """A tokenizer without the method, as transformers 5 has them; or with it."""

    def __init__(self, whole: Any, **methods: Any) -> None:
        self._whole = whole
        self.__dict__.update(methods)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._whole(*arguments, **options)


def test_a_tokenizer_gets_the_method_only_if_it_lacks_it() -> None:
    class Loader:
        @staticmethod
        def from_pretrained(given: Any, **options: Any) -> Any:
            assert options == {"fast": True}
            return given

    loader = _TokenizerLoader(Loader)
    bare = Removed(tokenizer("[CLS] $A [SEP]"))
    assert loader.from_pretrained(bare, fast=True) is bare
    assert bare.build_inputs_with_special_tokens([-100]) == [1, -100, 2]  # type: ignore[attr-defined]
    whole = Removed(None, build_inputs_with_special_tokens=len)
    assert loader.from_pretrained(whole, fast=True).build_inputs_with_special_tokens([5]) == 1


def test_benepar_loads_its_tokenizers_in_this_way_however_often_it_is_asked_for() -> None:
    assert chart_parser() is chart_parser()
    loader = import_isolated("benepar.retokenization").transformers.AutoTokenizer
    assert isinstance(loader, _TokenizerLoader) and not isinstance(loader._loader, _TokenizerLoader)
