"""The component for spaCy, and the methods that it gives to docs."""

from __future__ import annotations

import importlib
import tomllib
from typing import Any

import pytest

from forest_align.types import InputError, ModelError

from .places import ROOT

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra [spacy])")
component = importlib.import_module("forest_align.spacy_component")


@pytest.fixture(scope="module")
def nlp() -> Any:
    made = spacy.blank("en")
    made.add_pipe("sentencizer")
    made.add_pipe("forest_align", config={"aligner": "forest"})
    return made


def test_the_entry_point_names_the_factory() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["spacy_factories"][component.NAME].partition(":")
    assert getattr(importlib.import_module(module), name) is component.make_component
    assert spacy.blank("en").has_factory(component.NAME)


def test_docs_are_aligned_token_by_token_and_span_by_span(nlp: Any) -> None:
    one, other = nlp("He passed away  in New York."), nlp("He died in NYC.")
    alignment = one._.align(other)
    words = {(source.text, target.text) for source, target, _ in alignment.words}
    assert {("He", "He"), ("in", "in")} <= words
    assert all(source.doc is one and target.doc is other for source, target, _ in alignment.words)
    assert all(0 < probability <= 1 for _, _, probability in alignment.words)
    spans = {(source.text, target.text): pair for source, target, pair in alignment.phrases}
    assert ("New York", "NYC") in spans and ("passed away", "died") in spans
    assert spans["New York", "NYC"].probability > 0.5


def test_sentences_keep_the_offsets_of_the_doc(nlp: Any) -> None:
    doc = nlp("It rained.  Two men left.")
    second = list(doc.sents)[1]
    made = component.sentence_of(second)
    assert made.text == second.text
    assert [made.text[token.start : token.end] for token in made.tokens] == ["Two", "men", "left", "."]
    assert len(component.sentence_of(doc)) == 7


def test_documents_have_the_sentences_of_the_pipeline(nlp: Any) -> None:
    one, other = nlp("It rained. The dogs barked."), nlp("The dogs barked loudly. It was raining.")
    alignment = one._.align_documents(other)
    assert [(group.source, group.target) for group in alignment.groups] == [((0,), (1,)), ((1,), (0,))]
    assert all(group.alignment is not None for group in alignment.groups)


def test_a_pipeline_stays_as_it_was(nlp: Any) -> None:
    doc = nlp("It rained.")
    assert [token.text for token in doc] == ["It", "rained", "."]
    assert spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes()).text == doc.text


def test_what_cannot_be_aligned_is_refused(nlp: Any) -> None:
    doc = nlp("It rained.")
    for wrong in ("It rained.", None):
        with pytest.raises(InputError, match="expected a spaCy Doc"):
            doc._.align(wrong)
        with pytest.raises(InputError, match="expected a spaCy Doc"):
            doc._.align_documents(wrong)
    with pytest.raises(InputError, match="expected a Doc with sentences"):
        doc._.align_documents(spacy.blank("en")("It rained."))
    with pytest.raises(ModelError):
        component.AlignComponent("nobody")
