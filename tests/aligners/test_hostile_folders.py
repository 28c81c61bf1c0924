"""Bundled model folders with one thing changed: each is refused by name, or aligns as a model may."""

from __future__ import annotations

import copy
import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from safetensors.numpy import load_file, save_file

from forest_align import load, load_parser
from forest_align.aligners.model_folder import bundled_folder, bundled_models
from forest_align.parsing.networks.model_files import network_sizes, parser_config
from forest_align.parsing.networks.vector_network import BUNDLED, WordVectors
from forest_align.parsing.networks.word_tagger import WordTagger
from forest_align.parsing.parser import Parser
from forest_align.parsing.parser_loading import MODELS, load_span_parser
from forest_align.types import ModelError, Sentence

from ..bound_models import bind
from ..tiny_encoder import STATES, write_encoder

TEXTS = ("The two men bought a small car in 1999.", "A small car was bought by two men.")
WORDS = tuple(tuple(text.replace(".", " .").split()) for text in TEXTS)
NESTED = "[" * 100_000


@cache
def parser() -> Parser:
    return load_parser("en")


@cache
def sentences() -> tuple[Sentence, Sentence]:
    one, two = (parser().parse(text) for text in TEXTS)
    return one, two


def use_aligner(folder: Path) -> None:
    aligner = load(folder, parser=parser())
    alignment = aligner.align(*sentences())
    lengths = [len(sentence) for sentence in sentences()]
    for i, j in alignment.words:
        assert 0 <= i < lengths[0] and 0 <= j < lengths[1]
    scores = [*(alignment.words.scores or ()), *(pair.probability for pair in alignment.phrases)]
    assert all(0 <= score <= 1 for score in scores), scores
    assert alignment.log_probability is None or not math.isnan(alignment.log_probability)


def use_parser(folder: Path) -> None:
    scorer = load_span_parser(folder)
    for sentence in Parser(scorer, vectors=None).parse_many(WORDS):
        assert isinstance(sentence, Sentence) and sentence.forest is not None
        assert (np.exp(sentence.forest.log_posterior[~np.isnan(sentence.forest.log_posterior)]) <= 1).all()
        assert not np.isnan(sentence.forest.log_marginal).any()


def use_vectors(folder: Path) -> None:
    vectors = WordVectors(folder)(WORDS)
    for words, found in zip(WORDS, vectors, strict=True):
        assert found.shape[0] == len(words) and np.isfinite(found).all()


def use_tagger(folder: Path) -> None:
    tagger = WordTagger.read(folder)
    for sentence in sentences():
        assert sentence.vectors is not None
        assert set(tagger(sentence.words, sentence.vectors)) <= set(tagger.tags)


@cache
def small_parser() -> Path:
    """A parser like the bundled one, with random weights and few words, so that it loads fast."""
    folder = Path(tempfile.mkdtemp(prefix="small-parser-"))
    tokenizer = json.loads((MODELS / "en" / "tokenizer.json").read_text())
    symbols = {token["content"] for token in tokenizer["added_tokens"]}
    kept = [word for word in tokenizer["model"]["vocab"] if word in symbols or len(word.strip("#")) == 1]
    tokenizer["model"]["vocab"] = {word: number for number, word in enumerate([*kept, "men", "the"])}
    for token in tokenizer["added_tokens"]:
        token["id"] = tokenizer["model"]["vocab"][token["content"]]
    for name, special in tokenizer["post_processor"]["special_tokens"].items():
        special["ids"] = [tokenizer["model"]["vocab"][name]]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    write_encoder(folder, len(tokenizer["model"]["vocab"]), positions=64)
    config = json.loads((MODELS / "en" / "config.json").read_text())
    config |= {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1}
    sizes = {"num_layers": 1, "num_heads": 2, "d_model": 16, "d_ff": 16, "d_kv": 8, "encoder_max_len": 64}
    config["forest_align"]["hparams"] |= {**sizes, "d_label_hidden": 8, "d_tag_hidden": 8}
    (folder / "config.json").write_text(json.dumps(config))
    random = np.random.default_rng(0)
    shapes = network_sizes(folder, parser_config(folder, config), STATES).weight_shapes()
    weights: dict[str, np.ndarray] = {}
    for name, shape in shapes.items():
        values = random.normal(size=shape).astype(np.float32)
        if len(shape) == 2:
            scales = np.abs(values).max(1) / 127
            weights[f"{name}.int8"] = np.round(values / scales[:, None]).astype(np.int8)
            weights[f"{name}.scale"] = scales
        else:
            weights[name] = values.astype(np.float16)
    save_file(weights, folder / "parser.safetensors")
    return folder


#: The folder of each model, its files, and what uses it.
KINDS: dict[str, tuple[Path, tuple[str, ...], Callable[[Path], None]]] = {
    "parser": (
        small_parser(),
        ("config.json", "parser.safetensors", "encoder.json", "encoder.safetensors", "tokenizer.json"),
        use_parser,
    ),
    "vectors": (BUNDLED, ("encoder.json", "encoder.safetensors", "tokenizer.json"), use_vectors),
    "tagger": (BUNDLED, ("tagger.json", "tagger.safetensors"), use_tagger),
}
# One model of each format: the others of a format are read by the same code.
for _name in sorted(name for name, format in bundled_models().items() if name == format):
    with bundled_folder(_name) as _folder:
        _inside = (path for path in sorted(Path(str(_folder)).rglob("*")) if path.is_file())
        _files = tuple(path.relative_to(str(_folder)).as_posix() for path in _inside if path.suffix != ".md")
        KINDS[_name] = (_folder, _files, use_aligner)
FILES = [(kind, file) for kind, (_, files, _) in KINDS.items() for file in files]


ALIGNED, REFUSED = "aligned", "refused"


def outcome(kind: str, folder: Path, *wanted: str) -> str:
    """How the use of a changed folder ends: ALIGNED, REFUSED by a message with these words, or the fault."""
    bind(folder / wanted[0])
    try:
        KINDS[kind][2](folder)
    except ModelError as error:
        is_named = str(folder) in str(error) and any(Path(name).name in str(error) for name in wanted)
        return REFUSED if is_named else f"names no {' or '.join(wanted)}: {error}"
    except Exception as error:  # whatever else it is, the folder should have been refused
        return f"{type(error).__name__}: {str(error)[:300]}"
    return ALIGNED


def faults(outcomes: dict[Any, str]) -> dict[Any, str]:
    return {change: ended for change, ended in outcomes.items() if ended not in (ALIGNED, REFUSED)}


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, str], Path]:
    """Copy a bundled folder; the file to be changed is left out."""

    def copied(kind: str, file: str) -> Path:
        source, files, _ = KINDS[kind]
        folder = tmp_path / kind
        folder.mkdir(exist_ok=True)
        for name in {*files} - {file}:
            if not (folder / name).exists():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).symlink_to(source / name)
        return folder

    return copied


@pytest.mark.parametrize(("kind", "file"), FILES)
def test_a_file_that_is_missing_or_damaged(changed: Any, kind: str, file: str) -> None:
    folder, whole = changed(kind, file), (KINDS[kind][0] / file).read_bytes()
    ended = {"missing": outcome(kind, folder, file)}
    contents = {
        "empty": b"",
        "half": whole[: len(whole) // 2],
        "a part": whole[:-3],
        "zeros": bytes(len(whole)),
        "not UTF-8": b"\xff\xfe" + whole,
        "deep": NESTED.encode(),
        "deep object": b'{"a":' * 100_000,
        "null": b"null",
        "a list": b"[]",
        "an object": b"{}",
    }
    for name, content in contents.items():
        (folder / file).write_bytes(content)
        ended[name] = outcome(kind, folder, file)
    (folder / file).unlink()
    (folder / file).mkdir()
    ended["a folder"] = outcome(kind, folder, file)
    assert faults(ended) == {} and ALIGNED not in ended.values()


def fields_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every field of a description; of lists, the first item and the last."""
    if path:
        yield path
    if len(path) > 4:
        return
    if isinstance(value, dict):
        for key, below in list(value.items())[:60]:
            yield from fields_of(below, (*path, key))
    elif isinstance(value, list) and value:
        for place in sorted({0, len(value) - 1}):
            yield from fields_of(value[place], (*path, place))


def with_value(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    document = copy.deepcopy(document)
    holder = document
    for part in path[:-1]:
        holder = holder[part]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return document


VALUES: tuple[Any, ...] = (
    ...,
    None,
    True,
    -1,
    0,
    10**9,
    10**30,
    0.5,
    1e300,
    float("nan"),
    float("inf"),
    "",
    "x",
    [],
    ["x", "x"],
    {},
    {"a": 1},
)


def some_of(changes: Sequence[Any], number: int) -> Sequence[Any]:
    """A third of the changes, the next one for the next field or array; all of them at night."""
    return changes if settings.default.max_examples > 100 else changes[number % 3 :: 3]


@pytest.mark.parametrize(
    ("kind", "file"),
    [one for one in FILES if one[1] in ("model.json", "config.json", "encoder.json", "tagger.json")],
)
def test_fields_of_other_values(changed: Any, kind: str, file: str) -> None:
    folder, document = changed(kind, file), json.loads((KINDS[kind][0] / file).read_text())
    ended = {}
    for number, path in enumerate(fields_of(document)):
        if path[0] in ("card", "description") and path[-1] != "forest_size":
            continue  # notes for people: the next test
        if path[0] in ("files", "parts"):
            continue  # names and digests of other files: tests/storage/test_saved_models.py
        field = next(part for part in path[::-1] if isinstance(part, str))
        aligned = 0
        for value in some_of(VALUES, number):
            (folder / file).write_text(json.dumps(with_value(document, path, value)))
            # Where a size and the weights do not fit, the file and a weight are named.
            found = outcome(kind, folder, field, f"{file}: ", f"does not fit {file}", f"other {field}")
            ended[(*path, "deleted" if value is ... else repr(value))] = found
            aligned += found == ALIGNED
            if aligned == 2:  # the field is not read, or allows much
                break
    assert faults(ended) == {} and REFUSED in ended.values()


@pytest.mark.parametrize("kind", ["forest", "contextual", "joint", "semi-markov", "sultan"])
def test_notes_for_people_change_no_alignment(changed: Any, kind: str) -> None:
    folder, document = changed(kind, "model.json"), json.loads((KINDS[kind][0] / "model.json").read_text())
    notes = "description" if "description" in document else "card"
    expected = load(KINDS[kind][0], parser=parser()).align(*sentences())
    for value in (None, 3, "x", [], {"tuned": None}, {"a": [{}] * 100}):
        (folder / "model.json").write_text(json.dumps({**document, notes: value}))
        alignment = load(folder, parser=parser()).align(*sentences())
        assert replace(alignment, made_by=expected.made_by) == expected  # the digest covers the notes, too


def arrays_of(whole: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """One array of each type and number of dimensions, and of each ending of a name."""
    seen = set()
    for name, array in sorted(whole.items()):
        key = (array.dtype, array.ndim, name.rsplit(".", 2)[-2:][-1], name.split(".")[0])
        # The encoder of word vectors is large: one of its layers shows what the others do.
        if key not in seen and not (len(whole) > 60 and array.size > 10**6 and "words" not in name):
            seen.add(key)
            yield name, array


def wrong_arrays(array: np.ndarray) -> Iterator[tuple[str, np.ndarray | None]]:
    yield "missing", None
    yield "scalar", np.zeros((), array.dtype)
    yield "nothing", np.zeros((0, *array.shape[1:]), array.dtype)
    yield "flat", array.reshape(-1)
    yield "short", array[:-1]
    yield "deeper", array[None]
    yield "transposed", np.ascontiguousarray(array.T)
    yield "whole numbers", array.astype(np.int32)
    yield "switches", array.astype(np.bool_)
    if array.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf, np.finfo(array.dtype).max, np.finfo(array.dtype).min):
            other = array.copy()
            other.flat[: max(1, other.size // 3)] = value
            yield f"some {value}", other
        for factor in (1e30, 1e3, -1e3, 1e-30, 0):
            yield f"times {factor}", array.astype(np.float32) * np.float32(factor)


@pytest.mark.parametrize(("kind", "file"), [one for one in FILES if one[1].endswith(".safetensors")])
def test_weights_of_other_shapes_types_and_sizes(changed: Any, kind: str, file: str) -> None:
    folder, whole = changed(kind, file), load_file(KINDS[kind][0] / file)
    ended = {}
    for number, (name, array) in enumerate(arrays_of(whole)):
        ways = some_of(list(wrong_arrays(array)), number)
        for what, other in ways[::2] if kind == "vectors" else ways:  # its file is large
            arrays = {key: value for key, value in whole.items() if key != name}
            if other is not None:
                arrays[name] = np.ascontiguousarray(other)
            save_file(arrays, folder / file)
            # A table of fewer words than the tokenizer has is told of the latter.
            ended[name, what] = outcome(kind, folder, file, "'vocab_size'")
    assert faults(ended) == {} and REFUSED in ended.values()


@pytest.mark.parametrize("kind", ["parser"])  # word vectors use the same tokenizers
def test_tokenizers_of_other_vocabularies(changed: Any, kind: str) -> None:
    folder = changed(kind, "tokenizer.json")
    document = json.loads((KINDS[kind][0] / "tokenizer.json").read_text())
    vocabulary, ended = document["model"]["vocab"], {}
    for place, word in enumerate(("men", "[UNK]", "[CLS]", "[SEP]", "the", "##s")):
        for number in some_of((None, 30522, 2**31 - 1, 2**40, -1, 0.5, "x"), place):
            words = {key: value for key, value in vocabulary.items() if key != word}
            if number is not None:
                words[word] = number
            other = document | {"model": document["model"] | {"vocab": words}}
            (folder / "tokenizer.json").write_text(json.dumps(other))
            ended[word, number] = outcome(kind, folder, "tokenizer.json")
    for place, path in enumerate(
        fields_of({key: value for key, value in document.items() if key != "model"})
    ):
        for value in some_of((None, 3, []), place):
            (folder / "tokenizer.json").write_text(json.dumps(with_value(document, path, value)))
            ended[path, repr(value)] = outcome(kind, folder, "tokenizer.json")
    assert faults(ended) == {} and REFUSED in ended.values()


def test_the_bundled_folders_themselves_are_used(tmp_path: Path) -> None:
    for kind, (source, _, use) in KINDS.items():
        shutil.copytree(source, tmp_path / kind)
        use(tmp_path / kind)
