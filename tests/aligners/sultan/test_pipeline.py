"""The published pipeline, module by module, on made-up sentences."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from forest_align.aligners.sultan._pipeline import published_links
from forest_align.aligners.sultan.parameters import MODULES, PublishedParameters
from forest_align.aligners.sultan.sentence_view import SentenceView, word_similarity
from forest_align.parsing import sentence_from_bracket
from forest_align.parsing.dependencies.annotators import Annotation, TreeAnnotator
from forest_align.parsing.dependencies.entities import Entity, find_entities
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import Sentence

from .plain_pipeline import Plain, PlainPipeline

ALL = PublishedParameters()


def no_synonyms(word: str) -> tuple[str, ...]:
    return ()


def view(text: str, dependencies: tuple[Dependency, ...] = ()) -> SentenceView:
    """A sentence written word/TAG."""
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    sentence = Sentence.from_words(words, tags)
    annotation = Annotation(dependencies, dependencies, find_entities(words, tags))
    return SentenceView.of(sentence, [word.lower() for word in words], annotation)


def tree_view(text: str) -> SentenceView:
    sentence = sentence_from_bracket(text)
    return SentenceView.of(sentence, [""] * len(sentence), TreeAnnotator().annotate(sentence))


def only(*modules: str) -> PublishedParameters:
    return replace(ALL, modules=frozenset(modules))


@pytest.mark.parametrize(
    ("part", "name", "rest"),
    [
        ("George", "George Bush", [1]),
        ("Francisco", "Juan Francisco Merino", [0, 2]),
        ("Sony", "Sony Motor Corp.", [1, 2]),
        ("Fujian", "Fujian Province", [1]),
        ("Washington", "Washington Post", None),
        ("Manchester", "Manchester City", None),
        ("Israel", "Israel Defense Forces", None),
        ("University", "University College", None),
        ("George", "Mary Bush", None),
    ],
)
def test_a_partial_mention_need_not_be_the_end_of_the_name(
    part: str, name: str, rest: list[int] | None
) -> None:
    short = view(f"then/RB {part}/NNP rested/VBD")
    words = name.split()
    full = view(" ".join(f"{word}/NNP" for word in words) + " slept/VBD")
    links = published_links(short, full, no_synonyms, only("entities"))
    equal = {(1, words.index(part))} if part in words else set()
    assert links == equal | {(1, j) for j in rest or ()}
    assert {(j, i) for i, j in links} == published_links(full, short, no_synonyms, only("entities"))


def test_an_acronym_is_aligned_to_every_term() -> None:
    source, target = view("the/DT FBI/NNP said/VBD"), view("Federal/NNP Bureau/NNP spoke/VBD")
    assert published_links(view("FB/NNP ran/VBD"), target, no_synonyms, only("entities")) == {(0, 0), (0, 1)}
    assert published_links(source, target, no_synonyms, only("entities")) == set()
    assert published_links(target, view("FB/NNP ran/VBD"), no_synonyms, only("entities")) == {(0, 0), (1, 0)}


def test_a_clitic_is_similar_to_itself_only() -> None:
    source, target = view("cats/NNS 's/POS toys/NNS"), view("cats/NNS is/VBZ toys/NNS")
    be = [replace(side, lemmas=("cat", "be", "toy")) for side in (source, target)]
    assert (1, 1) not in published_links(*be, no_synonyms, ALL)
    assert (1, 1) in published_links(source, source, no_synonyms, ALL)


def test_dependencies_give_evidence_across_the_types_of_table_1() -> None:
    source = tree_view("(S (NP (PRP He)) (VP (VBD wrote) (NP (DT a) (NN book))))")
    target = tree_view(
        "(NP (NP (DT the) (NN book)) (SBAR (WHNP (WDT that)) (S (NP (PRP she)) (VP (VBD wrote)))))"
    )
    links = published_links(source, target, no_synonyms, only("dependencies"))
    assert {(1, 4), (3, 1)} <= links


MADE_UP = (
    "the/DT/the of/IN/of of/IN/of not/RB/not cat/NN/cat Cats/NNS/cat dog/NN/dog saw/VBD/see saw/NN/saw "
    "sees/VBZ/see 's/POS/'s ’s/VBZ/be 's/VBZ/be is/VBZ/be big/JJ/big well/RB/well he/PRP/he New/NNP/new "
    "York/NNP/york '90s/NNS/1990s 1990s/NNS/1990s NY/NNP/ny Bank/NNP/bank %/NN/% percent/NN/percent "
    ",/,/, -LRB-/-LRB-/ ././."
)
SYNONYMS = [("cat", "dog"), ("saw", "is"), ("percent", "%"), ("big", "cats"), ("the", "of"), ("york", "'s")]
TYPES = ["nsubj", "xsubj", "dobj", "rcmod", "prep_of", "nn", "conj_and", "det", "prep"]


def synonyms_of(word: str) -> list[str]:
    return [b for pair in SYNONYMS for a, b in (pair, pair[::-1]) if a == word]


def made_up(rng: Random, vocabulary: list[str], length: int) -> Plain:
    """Words with any dependencies and names, often the same ones again: many ties."""
    items = [rng.choice(vocabulary).split("/") for _ in range(length)]
    forms, tags, lemmas = map(list, zip(*items, strict=True))
    types = rng.sample(TYPES, 3)
    edges = [
        [
            Dependency(rng.randint(-1, length - 1), rng.randrange(length), rng.choice(types))
            for _ in range(rng.randint(0, 3 * length))
        ]
        for _ in range(2)
    ]
    names = []
    start = 0
    while start < length and len(names) < 3:
        end = rng.randint(start + 1, min(length, start + 3))
        if rng.random() < 0.6:
            names.append(Entity(start, end, rng.choice(["", "", "person", "organization"])))
        start = end
    return Plain(forms, lemmas, tags, Annotation(tuple(edges[0]), tuple(edges[1]), tuple(names)))


def view_of(plain: Plain) -> SentenceView:
    return SentenceView.of(Sentence.from_words(plain.forms, plain.tags), plain.lemmas, plain.annotation)


def made_up_parameters(rng: Random) -> PublishedParameters:
    weight, similarity = rng.choice([0.9, 0.5, 0.2]), rng.choice([0.9, 0.5])
    modules = [name for name in sorted(MODULES) if rng.random() < (0.3 if name == "sequences" else 0.75)]
    return PublishedParameters(similarity, weight, rng.randint(0, 3), frozenset(modules))


@pytest.mark.parametrize("batch", range(5))
def test_links_are_those_of_the_plain_pipeline(batch: int) -> None:
    for seed in range(200 * batch, 200 * batch + 200):
        rng = Random(seed)
        vocabulary = rng.sample(MADE_UP.split(), rng.choice([3, 6, 12, 24]))
        source, target = (made_up(rng, vocabulary, rng.randint(1, 9)) for _ in range(2))
        parameters = made_up_parameters(rng)
        cells = [(i, j) for i in range(len(source.forms)) for j in range(len(target.forms))]
        near = rng.sample(cells, len(cells) // rng.choice([4, 16, 99]))
        expected = PlainPipeline(source, target, synonyms_of, parameters, near).run()
        links = published_links(view_of(source), view_of(target), synonyms_of, parameters, near)
        assert links == expected, (seed, source, target, parameters)


def test_similarity_does_not_depend_on_which_sentence_comes_first() -> None:
    rng = Random(0)
    for _ in range(30):
        one, two = (view_of(made_up(rng, MADE_UP.split(), 20)) for _ in range(2))
        back = word_similarity(two, one, synonyms_of, 0.9)
        assert word_similarity(one, two, synonyms_of, 0.9) == {(i, j): back[j, i] for j, i in back}


def test_percent_and_its_sign_are_as_similar_as_the_table_says() -> None:
    percent, sign = Dependency(1, 0, "num"), view("5/CD %/NN", (Dependency(1, 0, "num"),))
    source = view("5/CD percent/NN", (percent,))
    for pair in ((source, sign), (sign, source)):
        assert published_links(*pair, synonyms_of, only("dependencies")) == {(0, 0), (1, 1)}


def test_the_head_of_a_name_is_the_word_that_the_others_depend_on() -> None:
    inside = (Dependency(0, 1, "prep"), Dependency(1, 2, "pobj"))
    name = "University/NNP of/IN Oxford/NNP"
    bank, town = view(f"{name} grew/VBD", inside), view("then/RB Oxford/NNP shrank/VBD")
    assert bank.head_of(bank.entities[0]) == 0 and view(name).head_of(bank.entities[0]) == 2
    assert published_links(bank, town, no_synonyms, only("entities")) == {(0, 1), (2, 1)}
    school = view("the/DT University/NNP rose/VBD")
    assert published_links(bank, school, no_synonyms, only("entities")) == {(0, 1)}
