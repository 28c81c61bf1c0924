"""The training command, with an aligner that links equal words and makes vectors from letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.sentence_pairs.features import FEATURES
from forest_align.aligners.sentence_pairs.model import ParaphraseModel
from forest_align.alignment import Alignment, Links
from forest_align.em import recipes
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.sentence_pairs import training
from forest_align.em.sentence_pairs.training import LabelledFeatures, cross_fitted, fit_paraphrases, folds
from forest_align.types import InputError, Sentence, Token

TAGS = {"the": "DT", "not": "RB", "and": "CC", "saw": "VBD", ".": "."}


def sentence(text: str) -> Sentence:
    words = text.split()
    rows = np.array([[word.count(letter) + 0.1 for letter in "abcdefghijklmnop"] for word in words])
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return Sentence(tuple(Token(word, "", TAGS.get(word.lower(), "NN")) for word in words), None, vectors)


class WordAligner:
    """Links each word to the first equal one."""

    def __init__(self) -> None:
        self.made_by = {"version": "test"}
        self.aligned = 0

    def align_many(self, pairs: Iterable[tuple[str, str]]) -> Iterator[Alignment]:
        for source, target in pairs:
            self.aligned += 1
            if "broken" in source:
                yield Alignment.failed("it is broken")
                continue
            one, two = sentence(source), sentence(target)
            links = [(i, two.words.index(word)) for i, word in enumerate(one.words) if word in two.words]
            yield Alignment(one, two, Links.of(links, scores=[1.0] * len(links)))


@pytest.fixture
def aligner(monkeypatch: pytest.MonkeyPatch) -> WordAligner:
    found = WordAligner()
    monkeypatch.setattr(training, "load", lambda name, **options: found)
    return found


def write(path: Path, rows: Iterable[tuple[str, str, object]]) -> Path:
    path.write_text("source,target,label\n" + "".join(f"{a},{b},{label}\n" for a, b, label in rows))
    return path


def corpora(folder: Path) -> list[str]:
    """Loose pairs are paraphrases if words are equal, strict ones if the order is."""
    nouns = [f"{a}{b}" for a in "abcdefgh" for b in "ijklm"]
    loose, strict = [], []
    for k, noun in enumerate(nouns):
        other = nouns[(k + 7) % len(nouns)]
        loose.append(
            (f"the {noun} and the rest {k}", f"the {noun if k % 2 else other} and the rest {k}", k % 2)
        )
        order = (noun, other) if k % 2 else (other, noun)
        strict.append((f"the {noun} saw the {other} .", f"the {order[0]} saw the {order[1]} .", k % 2))
    files = [write(folder / "loose.csv", loose), write(folder / "strict.csv", [*strict, ("broken", "a", 1)])]
    return ["--loose", str(files[0]), "--strict", str(files[1])]


def test_the_command_reports_and_writes_a_model_and_aligns_no_pair_again(
    tmp_path: Path, aligner: WordAligner, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*corpora(tmp_path), "--features", str(tmp_path / "cache")]
    recipes.main(["paraphrases", str(tmp_path / "model"), *options])
    shown = capsys.readouterr()
    assert "it is broken" in shown.err
    table = [[cell.strip() for cell in row.split("|")[1:-1]] for row in shown.out.splitlines()]
    assert [row[:3] for row in table[2:4]] == [["loose.csv", "40", "50.0"], ["strict.csv", "40", "50.0"]]
    assert float(table[2][5]) > 80  # accuracy on the loose pairs, left out
    model = ParaphraseModel.load(tmp_path / "model")
    assert model.card["trained_on"]["loose.csv"] == model.card["trained_on"]["strict.csv"] == 40
    before = aligner.aligned
    recipes.main(["paraphrases", str(tmp_path / "again"), *options])
    assert aligner.aligned == before
    files = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("model", "again")]
    assert files[0] == files[1]


def test_a_pair_that_cannot_be_aligned_has_no_features(tmp_path: Path, aligner: WordAligner) -> None:
    pairs = [("the cat", "the cat"), ("broken", "the cat")]
    for store in (None, ArrayStore(tmp_path), ArrayStore(tmp_path)):
        (one, tagged), (two, nothing) = training.measured(pairs, aligner, store)  # type: ignore[arg-type]
        assert one.shape == two.shape == (len(FEATURES) + 1,)
        assert np.isfinite(one).all() and one[-1] == 1 and np.isnan(two).all()
        assert (tagged.words, tagged.tags) == (("the", "cat"), ("DT", "NN")) and nothing.words == ()
    assert aligner.aligned == 4


def test_pairs_without_labels_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", [("a", "b", "neutral"), ("a", "b", "")])
    with pytest.raises(InputError, match="expected sentence pairs with labels"):
        training.read_labelled(path)
    some = write(tmp_path / "y.csv", [("a", "b", "neutral"), ("a", "b", 1), ("c", "d", 0)])
    assert [pair.label for pair in training.read_labelled(some)] == [True, False]
    assert len(training.read_labelled(some, 1)) == 1


def planted(count: int = 600) -> LabelledFeatures:
    """Strict pairs are paraphrases if the first feature is high, loose ones if the second is."""
    draw = np.random.default_rng(0)
    features = draw.normal(size=(count, len(FEATURES)))
    strict = np.arange(count) % 2 == 0
    features[:, 2] += np.where(strict, 4, -4)  # says which kind a pair is
    labels = np.where(strict, features[:, 0], features[:, 1]) > 0
    return LabelledFeatures(features, labels, strict, [(f"a{k}", f"b{k}") for k in range(count)])


def test_each_kind_of_pair_is_judged_by_its_own_convention() -> None:
    pairs = planted(3_000)
    found = fit_paraphrases(pairs, {"note": 1})
    assert found.card == {"note": 1}
    assert ((found.probabilities(pairs.features) > 0.5) == pairs.labels).mean() > 0.95
    assert ((cross_fitted(pairs) > 0.5) == pairs.labels).mean() > 0.9


def test_cross_fitting_does_not_know_the_label_of_a_pair() -> None:
    pairs = planted()
    noise = np.random.default_rng(1).random(len(pairs.labels)) > 0.5
    unlearnable = LabelledFeatures(pairs.features, noise, pairs.strict, pairs.texts)
    seen = fit_paraphrases(unlearnable).probabilities(pairs.features)
    assert ((seen > 0.5) == noise).mean() > 0.6  # 91 weights fit some of the noise
    assert abs(((cross_fitted(unlearnable) > 0.5) == noise).mean() - 0.5) < 0.08


def test_pairs_that_share_sentences_are_in_one_part() -> None:
    texts = [(f"a{k // 3}", f"b{k}") for k in range(60)] + [("b0", "b59"), ("c", "c")]
    found = folds(texts, 0)
    assert all(len(set(found[k : k + 3].tolist())) == 1 for k in range(0, 60, 3))
    assert found[0] == found[59] == found[60]
    assert len(set(found.tolist())) > 2 and found.tolist() == folds(texts, 0).tolist()
    assert found.tolist() != folds(texts, 1).tolist()
