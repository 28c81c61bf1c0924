from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.aligners.contextual import ContextualAligner
from forest_align.cli.aligner_choice import ANNOTATORS, GivenLinks, load_aligner
from forest_align.parsing import annotation
from forest_align.types import InputError, ModelError


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Names and settings that aligners were loaded with; a model folder is always a forest model."""
    calls: list[tuple[str, dict[str, Any]]] = []

    def load(name: str, **settings: Any) -> SimpleNamespace:
        calls.append((name, settings))
        return SimpleNamespace(name=name)

    monkeypatch.setattr("forest_align.aligners.load", load)
    monkeypatch.setattr("forest_align.aligners.loading.kind_of", lambda model: "forest")
    return calls


def options(**changes: Any) -> Namespace:
    names = ("aligner", "model", "variant", "parser", "annotator", "words", "ppdb")
    return Namespace(**(dict.fromkeys(names) | changes))


def test_the_forest_aligner_with_its_own_defaults_is_the_default(loaded: list[Any]) -> None:
    load_aligner(options(), None)
    load_aligner(options(aligner="joint"), None)
    load_aligner(options(model="my/model"), None)
    assert loaded == [("forest", {}), ("joint", {}), ("my/model", {})]


def test_given_links_become_the_candidates(loaded: list[Any]) -> None:
    given = GivenLinks()
    load_aligner(options(words="links.txt"), given)
    assert loaded == [("forest", {"candidates": given})]


def test_a_parser_is_left_to_the_aligner_to_load_if_there_is_one_of_that_name(loaded: list[Any]) -> None:
    load_aligner(options(parser="en"), None)
    assert loaded == [("forest", {"parser": "en"})]
    with pytest.raises(ModelError, match="no parser 'nonesuch'"):
        load_aligner(options(parser="nonesuch"), None)


@pytest.mark.parametrize("kind", ["forest", "contextual"])
def test_the_published_variant_can_be_asked_for(kind: str, loaded: list[Any]) -> None:
    load_aligner(options(aligner=kind, variant="published"), None)
    assert loaded == [(kind, {"variant": "published"})]


def test_paraphrases_reach_every_aligner(loaded: list[Any], tmp_path: Path) -> None:
    table = tmp_path / "ppdb.tsv"
    table.write_text("quick\tfast\n")
    for kind in ("contextual", "semi-markov", "joint"):
        load_aligner(options(aligner=kind, ppdb=str(table)), None)
        assert ("quick", "fast") in loaded[-1][1]["ppdb"]
    load_aligner(options(ppdb=str(table)), None)
    assert list(loaded[-1][1]) == ["candidates"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"aligner": "contextual", "words": "union"}, "takes no --words"),
        ({"aligner": "joint", "words": "union"}, "takes no --words"),
        ({"aligner": "joint", "variant": "published"}, "takes no --variant"),
        ({"words": "unoin"}, "unoin"),
        ({"annotator": "spacy"}, "the forest aligner takes no --annotator; the contextual"),
        ({"aligner": "joint", "annotator": "trees"}, "the joint aligner takes no --annotator"),
        ({"aligner": "contextual", "annotator": "spacy"}, "--annotator needs --variant published"),
        (
            {"aligner": "contextual", "annotator": "spacy", "variant": "default"},
            "--annotator needs --variant published",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    changes: dict[str, str], message: str, loaded: list[Any]
) -> None:
    with pytest.raises(InputError, match=message):
        load_aligner(options(**changes), None)


def test_dependencies_and_names_of_the_published_variant_are_asked_for_by_name(loaded: list[Any]) -> None:
    load_aligner(options(aligner="contextual", variant="published", annotator="spacy"), None)
    assert loaded == [("contextual", {"variant": "published", "annotator": "spacy"})]


def test_a_tuned_published_variant_takes_another_annotator_and_a_default_one_does_not(tmp_path: Path) -> None:
    ContextualAligner(variant="published").save(tmp_path / "tuned")
    asked = options(model=str(tmp_path / "tuned"), annotator="trees")
    aligner = load_aligner(asked, None)
    assert isinstance(aligner, ContextualAligner) and aligner.annotator.name == "trees"
    asked.variant = "default"
    with pytest.raises(InputError, match="--annotator needs --variant published"):
        load_aligner(asked, None)


def test_the_annotators_are_those_that_there_are() -> None:
    assert ANNOTATORS == annotation.ANNOTATORS


def test_the_kind_of_aligner_is_that_of_the_model(loaded: list[Any]) -> None:
    given = GivenLinks()
    load_aligner(options(model="my/model", words="given", variant="published"), given)
    assert loaded == [("my/model", {"variant": "published", "candidates": given})]


def test_a_model_of_another_kind_of_aligner_is_refused(loaded: list[Any]) -> None:
    with pytest.raises(ModelError, match="is for the aligner forest, not contextual"):
        load_aligner(options(aligner="contextual", model="my/model"), None)
