"""``forest-align train semi-markov`` on a handful of pairs, and the aligner's options on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners import load
from forest_align.aligners.semi_markov._word_features import WORD_FEATURES
from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.cli import main
from forest_align.cli.aligner_choice import AlignerChoice, load_aligner
from forest_align.types import InputError, ModelError, Sentence

from ...command_line import written

TAGS = {"the": "DT", "a": "DT", "her": "PRP$", "old": "JJ", "in": "IN", "she": "PRP", "he": "PRP"}
GOLD = (
    ("the old man bought a car", "the old man purchased a car", "0-0 1-1 2-2 3-3 4-4 5-5"),
    ("she sold her house", "she sold her home", "0-0 1-1 2-2 3-3"),
    ("he died in London", "he died in London yesterday", "0-0 1-1 2-2 3-3"),
)


def tag(text: str) -> Sentence:
    words = text.split()
    return Sentence.from_words(words, [TAGS.get(word, "NN") for word in words])


class TagParser:
    """Gives every word a tag and nothing else."""

    def parse_many(self, sentences: Sequence[Any], batch_size: int = 32) -> Iterator[Sentence | InputError]:
        for sentence in sentences:
            yield tag(sentence if isinstance(sentence, str) else " ".join(sentence))


@pytest.fixture(autouse=True)
def tag_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("load_parser_for_alignment", "load_parser"):
        monkeypatch.setattr(f"forest_align.parsing.{name}", lambda *args, **options: TagParser())


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.json"
    pairs = [
        {
            "id": str(k),
            "name": str(k),
            "source": source,
            "target": target,
            "sureAlign": links,
            "possibleAlign": "",
        }
        for k, (source, target, links) in enumerate(GOLD)
    ]
    path.write_text(json.dumps(pairs))
    return path


def train(*words: object) -> int:
    return main(["train", "semi-markov", *map(str, words)])


def test_training_writes_a_model_that_aligns(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "model"
    assert train(gold, "-o", output, "--regularization", 0.1) == 0
    assert capsys.readouterr().out.startswith("3 pairs, ")
    card = SemiMarkovModel.load(output).card
    assert (card["pairs"], card["regularization"], card["links"]) == (3, 0.1, "sure")
    pairs = written(tmp_path / "pairs.tsv", "".join(f"{source}\t{target}\n" for source, target, _ in GOLD))
    assert main(["align", str(pairs), "--tokenized", "--model", str(output), "--to", "pharaoh"]) == 0
    assert capsys.readouterr().out.splitlines() == [links for *_, links in GOLD]


def test_the_lengths_of_phrases_and_the_directions_belong_to_the_model(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = (gold, "-o", tmp_path / "model", "--iterations", 3, "--regularization", 0.1)
    assert train(*common, "--longest", 1, 4) == 0
    model = SemiMarkovModel.load(tmp_path / "model")
    assert (model.options.longest, model.both_directions) == ((1, 4), False)
    assert train(*common, "--resume") == 2
    assert "model.checkpoint: field 'longest'" in capsys.readouterr().err
    assert train(*common, "--longest", 1, 1, "--both-directions") == 0
    assert capsys.readouterr().out.startswith("3 pairs, ")
    model = SemiMarkovModel.load(tmp_path / "model")
    assert (model.options.longest, model.both_directions, model.card["pairs"]) == ((1, 1), True, 3)
    assert train(*common, "--longest", 1, 21) == 2
    assert "from 1 to 20" in capsys.readouterr().err


def test_longer_nulls_and_further_features_belong_to_the_model(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = written(tmp_path / "ppdb", "[NN] ||| house ||| home ||| p(e|f)=0.5 p(f|e)=1 ||| 0-0\n")
    common = (gold, "-o", tmp_path / "model", "--iterations", 5, "--regularization", 0.1)
    more = ("--longest-null", 3, "--resources", "paraphrases", "wordnet")
    assert train(*common, *more, "--ppdb", table) == 0
    model = SemiMarkovModel.load(tmp_path / "model")
    assert (model.options.longest_null, model.options.resources) == (3, ("wordnet", "paraphrases"))
    scores = model.weights["words"][:, -2:]
    assert scores.max() > 0
    assert train(*common, "--longest-null", 3, "--ppdb", table, "--resume") == 2
    assert "model.checkpoint: field 'resources'" in capsys.readouterr().err
    assert train(*common, *more) == 2
    assert "--resources paraphrases needs --ppdb FILE" in capsys.readouterr().err
    assert train(*common, "--longest-null", 21) == 2
    assert "from 1 to 20" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("field", "value"), [("longest", [3]), ("longest", [0, 3]), ("longest", 3), ("both_directions", 1)]
)
def test_a_model_with_impossible_lengths_or_directions_is_refused(
    tmp_path: Path, field: str, value: object
) -> None:
    SemiMarkovAligner().save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**card, field: value}))
    with pytest.raises(ModelError, match=f"damaged: .*{field}"):
        SemiMarkovModel.load(tmp_path)


def test_a_run_that_is_resumed_gives_the_same_model(tmp_path: Path, gold: Path) -> None:
    cache = ("--forests", tmp_path / "cache")
    train(gold, "-o", tmp_path / "one", *cache)
    train(gold, "-o", tmp_path / "two", "--iterations", 7, *cache)
    few = SemiMarkovModel.load(tmp_path / "two").weights["words"]
    train(gold, "-o", tmp_path / "two", "--resume", *cache)
    weights = [SemiMarkovModel.load(tmp_path / name).weights for name in ("one", "two")]
    assert all(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not np.array_equal(few, weights[1]["words"])


def test_pairs_that_cannot_be_used_are_named_and_the_rest_is_trained_on(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = json.loads(gold.read_text())
    pairs[1]["sureAlign"] = "0-9"
    gold.write_text(json.dumps(pairs))
    assert train(gold, "-o", tmp_path / "model") == 1
    assert "0-9" in capsys.readouterr().err
    assert SemiMarkovModel.load(tmp_path / "model").card["pairs"] == 2


def test_paraphrases_are_learned_from_as_synonyms(tmp_path: Path, gold: Path) -> None:
    pairs = json.loads(gold.read_text())[:1]
    pairs[0].update(
        source="the man zonked a car", target="the man glorped a car", sureAlign="0-0 1-1 2-2 3-3"
    )
    gold.write_text(json.dumps(pairs))
    table = written(tmp_path / "ppdb.tsv", "zonked\tglorped\n")
    weights = []
    for more in ((), ("--ppdb", table)):
        assert train(gold, "-o", tmp_path / "model", *more) == 0
        model = SemiMarkovModel.load(tmp_path / "model")
        assert model.card["ppdb"] == (table.name if more else "")
        weights.append(model.weights["words"][:, WORD_FEATURES.index("synonym")])
    assert not weights[0].any() and weights[1].max() > 0


def options(**given: Any) -> AlignerChoice:
    return AlignerChoice(**{"aligner": "semi-markov", **given})


def test_the_aligner_is_found_by_name_and_takes_a_paraphrase_table(tmp_path: Path) -> None:
    table = written(tmp_path / "ppdb.tsv", "dogs\thounds\n")
    aligner = load_aligner(options(ppdb=str(table)))
    assert isinstance(aligner, SemiMarkovAligner)
    assert aligner.ppdb is not None and ("hounds", "dogs") in aligner.ppdb
    aligner.save(tmp_path / "copy")
    assert isinstance(load(tmp_path / "copy"), SemiMarkovAligner)
    with pytest.raises(ModelError, match="is for the aligner semi-markov, not contextual"):
        load_aligner(options(aligner="contextual", model=str(tmp_path / "copy")))


def test_evidence_and_pictures_of_its_alignments_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = written(tmp_path / "pairs.tsv", "the old man bought a car\tthe old man purchased a car\n")
    common = ["align", str(pairs), "--tokenized", "--aligner", "semi-markov"]
    assert main([*common, "--explain"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["word_evidence"][0][0] == "identical"
    for format in ("html", "text"):
        assert main([*common, "--to", format]) == 0
        assert "purchased" in capsys.readouterr().out
