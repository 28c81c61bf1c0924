"""Scores sentences with any parser in benepar's export format, with any version of transformers.

benepar 0.2.0 asks tokenizers for ``build_inputs_with_special_tokens``, which transformers 5 has removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import AutoConfig

from forest_align.parsing.forests.decoding import SpanScorer, SpanScores
from forest_align.parsing.networks.encoder_batches import length_batches
from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.types import InputError, ModelError

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


_BATCH_SUBWORDS = 1500

_unescape = import_isolated("benepar.ptb_unescape")


class BeneparScorer(SpanScorer):
    """Scores sentences with a benepar parser."""

    def __init__(self, folder: Path) -> None:
        self._parser = _read_parser(folder)
        self._parser.eval()
        names = {index: label for label, index in self._parser.label_vocab.items()}
        self.labels = tuple(names[index] for index in range(len(names)))
        self.force_root = bool(self._parser.decoder.force_root_constituent)

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score a batch of tokenized sentences; see ``SpanScorer``."""
        results: list[SpanScores | InputError | None] = [None] * len(batch)
        usable: list[int] = []
        encoded: list[dict[str, Any]] = []
        for place, words in enumerate(batch):
            spaces = space_after[place] if space_after is not None else None
            try:
                encoded.append(self._encode(list(words), spaces))
                usable.append(place)
            except InputError as error:
                results[place] = error
        sizes = [len(sentence["input_ids"]) for sentence in encoded]
        for items in length_batches(sizes, _BATCH_SUBWORDS):
            for item, scores in zip(items, self._forward([encoded[item] for item in items]), strict=True):
                results[usable[item]] = scores
        return results  # type: ignore[return-value]

    def _encode(self, words: list[str], space_after: Sequence[bool] | None) -> dict[str, Any]:
        """Tokenize a sentence for the encoder; if that fails, replace non-ASCII characters and try again."""
        if not words:
            raise InputError("a sentence without words cannot be parsed")
        plain = [_printable(word) for word in _unescape.ptb_unescape(words)]
        spaces = list(space_after) if space_after is not None else _unescape.guess_space_after(plain)
        for attempt in (plain, [word.encode("ascii", "replace").decode() for word in plain]):
            try:
                encoded = dict(self._parser.retokenizer(attempt, spaces))
            except ValueError as error:
                raise InputError(f"sentence of {len(words)} words: {error}") from None
            except (AssertionError, StopIteration):
                continue
            if min(encoded["words_from_tokens"]) >= 0:
                break
        else:
            raise InputError(f"sentence of {len(words)} words: the encoder's tokenizer drops some of them")
        timing = self._parser.add_timing
        if timing is not None and len(words) + 2 > (longest := len(timing.timing_table)):
            message = f"sentence of {len(words)} words is longer than the parser can read ({longest - 2})"
            raise InputError(message)
        return encoded

    def _forward(self, sentences: list[dict[str, Any]]) -> list[SpanScores]:
        parser = self._parser
        with torch.inference_mode():
            spans, tags = parser.forward(parser.pad_encoded(sentences))
        scores = (spans - spans[..., :1]).float().numpy()
        best = None if tags is None else tags.argmax(-1).numpy()
        scored = []
        for row, sentence in enumerate(sentences):
            size = len(sentence["words_from_tokens"]) - 2
            chart = scores[row, :size, :size] * np.triu(np.ones((size, size), dtype=np.float32))[..., None]
            tags = ("",) * size
            if best is not None:
                tags = tuple(parser.tag_from_index[int(tag)] for tag in best[row, 1 : size + 1])
            scored.append(SpanScores(chart, self.labels, tags, self.force_root))
        return scored


def _printable(word: str) -> str:
    """Drop characters that tokenizers drop (controls, lone surrogates); a word never becomes empty."""
    kept = "".join(letter for letter in word if letter.isprintable() and not letter.isspace())
    return kept or "?"


def _read_parser(folder: Path) -> Any:
    """Build benepar's parser from a folder, as ``ChartParser.from_trained`` does, but without pickle."""
    path = folder / "benepar_model.bin"
    try:
        weights = torch.load(path, map_location="cpu", weights_only=True)
        for name, value in weights.items():
            if not value.isfinite().all():
                raise ValueError(f"expected finite weights, found others in {name!r}")
        config = dict(AutoConfig.from_pretrained(str(folder)).benepar)
        hparams = dict(config["hparams"])
        hparams.setdefault("force_root_constituent", True)
        parser = chart_parser()(
            config["tag_vocab"],
            config["label_vocab"],
            config["char_vocab"],
            import_isolated("benepar.nkutil").HParams(**hparams),
            pretrained_model_path=str(folder),
        )
        for name in [name for name in weights if name.endswith(".position_ids")]:
            if name not in parser.state_dict():  # positions 0, 1, 2 …, which older transformers saved
                del weights[name]
        parser.load_state_dict(weights)
    except Exception as error:  # torch, transformers and benepar raise many types for missing parts
        raise ModelError(f"{folder}: cannot be loaded as a benepar parser: {error}") from error
    if parser.pretrained_model is None:
        raise ModelError(f"{folder}: only benepar parsers over a pretrained encoder are supported")
    # Advice for programmers, which would appear among the user's messages.
    parser.retokenizer.tokenizer.deprecation_warnings["Asking-to-pad-a-fast-tokenizer"] = True
    return parser
