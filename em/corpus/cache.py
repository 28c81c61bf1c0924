"""An on-disk store of computed arrays, so that parses and features of a corpus are computed once."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forest_align._version import __version__
from forest_align.storage.checkpoint import load_arrays, save_arrays
from forest_align.types import InputError, ParseForest, Sentence, Token
from forest_align.types.errors import InputWarning, MemoryLimitError

# Increase this when the meaning of entries changes; entries of older versions are then computed again.
FORMAT = 6

_Entry = tuple[Mapping[str, np.ndarray], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ArrayStore:
    """A folder of entries: files of arrays and JSON values, each named by a hash of its inputs.

    Entries are written atomically and never change. So processes can share the folder, and a killed process
    leaves no half-written entry. A damaged entry, of which a warning names the file, is computed again.
    """

    folder: Path  # Created when the first entry is written

    def path(self, key: Any) -> Path:
        """The file of the entry of a key; the key is any JSON value."""
        text = json.dumps([FORMAT, __version__, key], sort_keys=True, ensure_ascii=True)
        name = hashlib.sha256(text.encode("ascii")).hexdigest()
        return self.folder / name[:2] / f"{name[2:]}.safetensors"

    def get(self, key: Any) -> _Entry | None:
        """The entry of a key; None if there is none, or a damaged one."""
        path = self.path(key)
        if not path.exists():
            return None
        try:
            return load_arrays(path)
        except InputError as error:
            warnings.warn(InputWarning(f"{path}: {error.message}; it is computed again"), stacklevel=2)
            return None

    def put(self, key: Any, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        """Store an entry."""
        save_arrays(self.path(key), arrays, facts)


def encode_sentence(sentence: Sentence | InputError) -> _Entry:
    """Turn a sentence into arrays and JSON values; vectors are stored in half precision.

    For a text that could not be parsed, the reason is stored.
    """
    if isinstance(sentence, InputError):
        return {}, {"error": sentence.message}
    facts: dict[str, Any] = {
        "text": sentence.text,
        "tokens": [[token.text, token.lemma, token.tag, token.start, token.end] for token in sentence.tokens],
    }
    if sentence.starts:
        facts["starts"] = list(sentence.starts)
    arrays: dict[str, np.ndarray] = {}
    if sentence.vectors is not None:
        arrays["vectors"] = sentence.vectors.astype(np.float16)
    if sentence.forest is not None:
        facts["labels"] = list(sentence.forest.labels)
        for name in ParseForest.__dataclass_fields__:
            value = getattr(sentence.forest, name)
            # Aligners do not use posteriors; a forest without them counts as one where they are unknown.
            if name != "labels" and not (name == "log_posterior" and np.isnan(value).all()):
                arrays[f"forest.{name}"] = value
    return arrays, facts


def decode_sentence(entry: _Entry) -> Sentence | InputError:
    """Decode a cached sentence, or the error stored in its place; see :func:`encode_sentence`."""
    arrays, facts = entry
    if "error" in facts:
        return InputError(facts["error"])
    tokens = tuple(Token(*values) for values in facts["tokens"])
    forest = None
    if "labels" in facts:
        fields = {name.removeprefix("forest."): array for name, array in arrays.items() if name != "vectors"}
        forest = ParseForest(labels=tuple(facts["labels"]), **fields)
    vectors = arrays.get("vectors")
    if vectors is not None:
        vectors = vectors.astype(np.float32)
    starts = tuple(facts.get("starts", ()))
    return Sentence(tokens, text=facts["text"], forest=forest, vectors=vectors, starts=starts)


def cached_sentences(
    texts: Sequence[Any],
    parse_many: Callable[[Sequence[Any]], Iterable[Sentence | InputError]],
    store: ArrayStore | None,
    identity: Any,
    *,
    chunk: int = 128,
    report: Callable[[int], None] | None = None,
) -> list[Sentence | InputError]:
    """Parse texts, or load them from the store if it has them; equal texts are parsed once.

    An error takes the place of a text that cannot be parsed. It is stored too, unless memory ran out: the
    next run tries again. Word vectors are in half precision even without a store, so that results do not
    depend on it. ``identity`` is what a parse depends on besides the text. The store is written after each
    ``chunk``.
    """
    keys = [json.dumps(text) for text in texts]
    occurrences = Counter(keys)
    sentences: dict[str, Sentence | InputError] = {}
    missing: dict[str, Any] = {}
    for key, text in dict(zip(keys, texts, strict=True)).items():
        entry = store.get([identity, text]) if store is not None else None
        if entry is None:
            missing[key] = text
        else:
            sentences[key] = decode_sentence(entry)
    if report is not None:
        report(sum(occurrences[key] for key in sentences))
    waiting = list(missing.items())
    for first in range(0, len(waiting), chunk):
        part = waiting[first : first + chunk]
        for (key, text), sentence in zip(part, parse_many([text for _, text in part]), strict=True):
            entry = encode_sentence(sentence)
            sentences[key] = decode_sentence(entry)
            if store is not None and not isinstance(sentence, MemoryLimitError):
                store.put([identity, text], *entry)
        if report is not None:
            report(sum(occurrences[key] for key, _ in part))
    return [sentences[key] for key in keys]
