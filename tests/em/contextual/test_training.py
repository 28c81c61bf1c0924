"""From hand-aligned corpora to a link model: the same one every time, from what it may learn from alone."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from forest_align.aligners.contextual.model import LinkModel
from forest_align.em import recipes
from forest_align.em.contextual import _annotating as annotating
from forest_align.em.contextual import _first_pass as first_pass
from forest_align.em.contextual import _message_pass as message_pass
from forest_align.em.contextual import _second_pass as second_pass
from forest_align.em.contextual import training
from forest_align.em.contextual.examples import read_examples

SIZE = 40
TAGS = {
    "the": "DT",
    "a": "DT",
    "walks": "VBZ",
    "sleeps": "VBZ",
    "quickly": "RB",
    "7": "CD",
    "of": "IN",
    "in": "IN",
}
TAGS |= {mark: mark for mark in ".,"}
WORDS = "the a cat dog house garden river mountain walks sleeps quickly 7 of in . ,".split()  # noqa: SIM905


def corpus_of(seed: int, count: int) -> list[tuple[list[str], list[str], list[tuple[int, int]]]]:
    """Pairs of which the second sentence is the first one without some of its words, in turned order."""
    chance, pairs = random.Random(seed), []
    for number in range(count):
        source = [*chance.sample(WORDS[:-2], 6), f"word{seed}x{number}", "."]
        kept = sorted(chance.sample(range(8), 6))
        kept = kept[3:] + kept[:3]
        pairs.append((source, [source[k] for k in kept], sorted((k, place) for place, k in enumerate(kept))))
    return pairs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Corpora like those that the model is trained on, of few pairs, some of them in several corpora."""
    folder = tmp_path / "data"
    shared = corpus_of(99, 2)
    corpora = {
        "msr_rte/dev.majority.json": corpus_of(1, 7),
        "msr_rte/test.majority.json": corpus_of(2, 1),
        "edinburgh/train.sure.json": corpus_of(3, 6),
        "edinburgh/test.sure.json": shared[:1],
        "mtref/train.tsv": [*corpus_of(5, 6), shared[0]],
        "mtref/dev.tsv": [shared[1], *corpus_of(6, 3)],
        "wiki/train.tsv": [*corpus_of(7, 6), shared[1]],
        "wiki/dev.tsv": corpus_of(8, 4),
    }
    for name, pairs in corpora.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        links = [" ".join(f"{i}-{j}" for i, j in pair[2]) for pair in pairs]
        rows = [
            (" ".join(one), " ".join(two), sure) for (one, two, _), sure in zip(pairs, links, strict=True)
        ]
        if path.suffix == ".json":
            keys = ("source", "target", "sureAlign")
            items = [
                dict(zip(keys, row, strict=True)) | {"id": str(k), "possibleAlign": ""}
                for k, row in enumerate(rows)
            ]
            path.write_text(json.dumps(items))
        else:
            lines = [
                f"{k}:{k}\t{one}\tN/A\t{two}\tN/A\t1\t1\t{sure}\t\t"
                for k, (one, two, sure) in enumerate(rows)
            ]
            path.write_text("\n".join(lines) + "\n")
    for annotator in "ABC":
        text = ""
        for number, (source, target, links) in enumerate(corpora["msr_rte/dev.majority.json"], 1):
            # C leaves out the link of the first target word and calls that of the second one possible.
            words = [("NULL", [])] + [(w, [i + 1 for i, j in links if j == k]) for k, w in enumerate(target)]
            marks = [
                ""
                if annotator == "C" and k == 1
                else " ".join(f"p{x}" if annotator == "C" and k == 2 else str(x) for x in at)
                for k, (_, at) in enumerate(words)
            ]
            line = " ".join(f"{w} ({{ {mark} / / }})" for (w, _), mark in zip(words, marks, strict=True))
            text += f"# sentence pair {number}\n{' '.join(source)} \n{line} \n"
        (folder / "msr_rte" / f"RTE2_dev_{annotator}.align.txt").write_text(text)
    return folder


def made_up(sentences: Sequence[tuple[str, ...]], parser: str) -> dict[str, np.ndarray]:
    """What the parser gives, in its place: vectors of words, a little different in each sentence."""
    rows = []
    for words in sentences:
        for word in words:
            word_itself = np.random.default_rng(zlib.crc32(word.encode())).normal(size=SIZE)
            rows.append(word_itself + 0.2 * np.random.default_rng(len(rows)).normal(size=SIZE))
    vectors = np.array(rows)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    tags = [TAGS.get(word, "NN") for words in sentences for word in words]
    return {"tags": np.array(tags), "vectors": vectors.astype(np.float16)}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts with steps of few pairs and small networks."""
    monkeypatch.setattr(annotating, "run_parser", made_up)
    monkeypatch.setattr(first_pass, "PAIRS_A_STEP", 4)
    monkeypatch.setattr(message_pass, "PAIRS_A_STEP", 4)
    monkeypatch.setattr(second_pass, "CELLS_A_STEP", 32)
    sizes = {"dimension": 16, "units": 6, "states": 8, "message": 3, "message_epochs": 4, "second_epochs": 4}
    monkeypatch.setattr(training, "LinkSettings", partial(first_pass.LinkSettings, **sizes))


def train(data: Path, name: str, *options: str) -> Path:
    output = data.parent / name
    arguments = [str(data), str(output), "--cache", str(data.parent / "cache"), "--parser", "none", *options]
    assert recipes.main(["contextual", *arguments]) == 0
    return output


def test_training_makes_the_same_model_every_time_and_one_that_aligns(
    small: None, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(1)
    first = train(data, "first")
    out = capsys.readouterr().out
    figures = {
        (row["corpus"], row["threshold"]): row
        for row in map(json.loads, filter(lambda x: x[0] == "{", out.splitlines()))
    }
    # Nothing is learned from the pair of MTRef dev that Wiki train holds: no pair that is measured is seen.
    assert {name for name, _ in figures} == {"mtref dev", "wiki dev"}
    assert figures["mtref dev", 0.5]["pairs"] == figures["wiki dev", 0.5]["pairs"] == 4
    assert figures["mtref dev", 0.5]["F1"] > 90 and figures["wiki dev", "one to one"]["F1"] > 90
    assert "wiki dev: expected calibration error 0." in out
    model = LinkModel.load(first)
    # Two pairs are measured elsewhere: nothing is learned from them and their copies.
    assert model.card["pairs"] == 7 + 6 + 6 + 6 + (3 + 2 + 2 + 2) + 4
    assert (
        model.card["trained on"][0] == "msr_rte (msr_rte/dev.majority.json)"
        and len(model.card["trained on"]) == 4
    )
    random.seed(5), torch.manual_seed(5), np.random.seed(5)
    again = train(data, "again")
    for name in ("model.safetensors", "model.json"):
        assert (first / name).read_bytes() == (again / name).read_bytes()
    for file in (data.parent / "cache").iterdir():
        file.unlink()
    anew = train(data, "anew")
    assert (first / "model.safetensors").read_bytes() == (anew / "model.safetensors").read_bytes()


def test_each_pair_is_seen_through_a_projection_that_has_not_learned_from_it(
    small: None, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learn(examples: Sequence[Any], settings: Any) -> tuple[np.ndarray, np.ndarray]:
        # Which folds it has seen is told by which numbers of a vector it keeps.
        matrix = np.zeros((SIZE, 4), dtype=np.float32)
        for fold in {e.fold for e in examples}:
            matrix[fold, fold] = 1
        matrix[3, 3] = 1
        return np.zeros(SIZE, dtype=np.float32), matrix

    class EnoughError(Exception):
        pass

    def stop(examples: Sequence[Any], settings: Any) -> None:
        seen.extend(examples)
        raise EnoughError

    seen: list[Any] = []
    monkeypatch.setattr(training, "learn_projection", learn)
    monkeypatch.setattr(training, "fit_first", stop)
    with pytest.raises(EnoughError):
        train(data, "model")
    assert {e.fold for e in seen} == {0, 1, 2}
    for e in seen:
        for side in (e.source, e.target):
            kept = np.delete(np.arange(4), e.fold)
            assert (side.projected[:, e.fold] == 0).all() and side.projected[:, kept].all()
            np.testing.assert_allclose(np.linalg.norm(side.projected, axis=1), 1, rtol=1e-5)


def test_the_last_pass_learns_from_the_cells_that_the_aligner_leaves_to_it(
    small: None, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, given, measured = training.fit_messages, [], []

    def recorded(examples: Sequence[Any], cells: Any, settings: Any) -> Any:
        given.extend(zip(examples, cells.numbers, strict=True))
        return fit(examples, cells, settings)

    monkeypatch.setattr(training, "fit_messages", recorded)
    monkeypatch.setattr(training, "measure", lambda model, examples: measured.append(model) or [])
    model = LinkModel.load(train(data, "model"))
    for e, numbers in given:
        _, third = model.run(e.source, e.target, e.evidence)
        np.testing.assert_array_equal(third.cells, numbers)
    # What is measured is what is saved.
    np.testing.assert_array_equal(measured[0].projection, model.projection)


def test_examples_have_links_evidence_shares_and_copies_with_a_misspelled_word(
    small: None, data: Path
) -> None:
    examples = list(read_examples(data, "none", data.parent / "cache"))
    pairs = corpus_of(1, 7)
    mine = [e for e in examples if e.corpus == "msr_rte"]
    assert [e.is_altered for e in mine[:10]] == [False] * 7 + [True] * 3
    for e, (source, target, links) in zip(mine[:10], [*pairs, *pairs[::3]], strict=True):
        assert sorted(zip(*map(list, np.nonzero(e.gold)), strict=True)) == links
        assert e.sentences == (" ".join(source[:-1]), " ".join(word for word in target if word != "."))
        assert e.gold.shape == e.evidence.shape == (8, 6) == (len(e.source.kinds), len(e.target.kinds))
        # C made no link of the first target word, a possible one of the second: (1 + ⅔) / 2, (1 + 7/9) / 2.
        column = {j: i for i, j in links}
        assert e.wanted[column[0], 0] == pytest.approx(5 / 6) and e.wanted[column[1], 1] == pytest.approx(
            8 / 9
        )
        assert e.wanted[column[2], 2] == pytest.approx(1) and e.wanted.sum() == pytest.approx(
            4 + 5 / 6 + 8 / 9
        )
        if not e.is_altered:
            assert all(e.evidence[i, j] & 1 for i, j in links)
        assert e.weight == pytest.approx(4 * 20 / (5 + 6))
    altered = [
        sum(not e.evidence[i, j] & 1 for i, j in links)
        for e, (_, _, links) in zip(mine[7:10], pairs[::3], strict=True)
    ]
    assert set(altered) <= {0, 1} and sum(altered) > 0
    # Rearranged copies have the links of their pairs, or of one sentence with itself.
    assert len(mine) > 10
    for e in mine[10:]:
        assert e.is_altered and e.fold in {one.fold for one in mine if one.sentences == e.sentences}
        assert (e.wanted == e.gold).all() and e.gold.sum() in {6, 8}
        assert all(e.evidence[i, j] & 1 for i, j in zip(*np.nonzero(e.gold), strict=True))
    others = [e for e in examples if e.corpus != "msr_rte"]
    assert all((e.wanted == e.gold).all() for e in others) and others[0].weight == pytest.approx(20 / 11)
    assert all((e.fold == -1) == e.corpus.endswith("dev") for e in examples)


def test_vectors_of_other_sentences_are_not_taken_from_the_cache(small: None, tmp_path: Path) -> None:
    cache = tmp_path / "vectors.npz"
    one, two = ("a", "cat"), ("dogs",)
    found = list(annotating.annotate([one, two], "none", cache))
    assert [side.words for side in found] == [one, two]
    assert [len(side.vectors) for side in found] == [2, 1] and found[0].tags == ("DT", "NN")
    with pytest.raises(SystemExit, match="of other sentences, 3 words in all: delete it"):
        list(annotating.annotate([one], "none", cache))
