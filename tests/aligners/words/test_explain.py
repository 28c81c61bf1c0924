from __future__ import annotations

import pytest

import forest_align
from forest_align import Aligner, Alignment, Links, Sentence
from forest_align.aligners.words.explain import with_evidence
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.lexicon.pair_table import PairTable


@pytest.mark.parametrize("name", ["forest", "contextual"])
def test_every_link_has_the_names_of_what_speaks_for_it(name: str) -> None:
    aligner = forest_align.load(name)
    alignment = aligner.align("Her illness was long.", "She was ill for a long time.")
    explained = with_evidence(aligner, alignment)
    names = dict(zip(alignment.words, explained.word_evidence, strict=True))
    assert set(names[1, 2]) >= {"derivation", "embedding"}
    assert set(names[2, 1]) >= {"identical", "lemma"}
    again = forest_align.Alignment.from_json(alignment.to_json())
    assert (
        "derivation"
        in dict(zip(alignment.words, with_evidence(aligner, again).word_evidence, strict=True))[1, 2]
    )


def names_of(aligner: Aligner, found: Alignment, ppdb: PairTable | None = None) -> dict[str, tuple[str, ...]]:
    """The evidence of each link by its two words."""
    source, target = found.source.words, found.target.words
    explained = with_evidence(aligner, found, ppdb)
    links = (f"{source[i]} {target[j]}" for i, j in found.words)
    return dict(zip(links, explained.word_evidence, strict=True))


TABLE = PairTable([("kicked the bucket", "died")])


@pytest.mark.parametrize("name", ["forest", "contextual", "semi-markov", "semi-markov-phrasal", "joint"])
def test_links_of_every_aligner_have_all_kinds_of_evidence_of_words_and_of_groups(name: str) -> None:
    aligner = forest_align.load(name, ppdb=TABLE)
    names = names_of(aligner, aligner.align("He kicked the bucket yesterday.", "He died yesterday."))
    assert set(names["kicked died"]) - {"block"} == {"collocation", "ppdb"}
    # The semi-Markov aligner reads no word vectors, so that none are made.
    of_vectors = set() if name.startswith("semi-markov") else {"embedding"}
    assert set(names["yesterday yesterday"]) == {"identical", "lemma", *of_vectors}
    names = names_of(aligner, aligner.align("A well-known writer died.", "A well known writer died."))
    assert {"substring", "joined", "block"} <= set(names["well-known well"])


def test_context_stands_alone_where_nothing_else_speaks_for_a_link() -> None:
    source, target = Sentence.from_words(["He", "stood", "there"]), Sentence.from_words(["He", "was", "late"])
    aligner = forest_align.load("contextual")
    links = Links.of([(0, 0), (1, 1), (1, 2)])
    names = names_of(aligner, Alignment(source, target, links))
    assert (names["stood was"], names["stood late"]) == (("block",), ("block",))
    names = names_of(aligner, Alignment(source, target, Links.of([(0, 0), (2, 2)])))
    assert names == {"He He": ("identical", "lemma", "function"), "there late": ("context",)}


def test_candidates_that_the_lexicon_knows_nothing_of_add_nothing_to_close_vectors() -> None:
    aligner = forest_align.load("forest")
    names = names_of(aligner, aligner.align("A dog barked.", "A doggy barked."))
    assert names["dog doggy"] == ("embedding",)


def test_given_links_are_named_beside_what_speaks_for_them() -> None:
    links = Links.of([(0, 0), (1, 1)])
    alignment = Alignment(
        Sentence.from_words(["He", "died"]), Sentence.from_words(["He", "perished"]), words=links
    )
    aligner = forest_align.load("forest")
    of_provider = with_evidence(forest_align.load("forest", candidates=GivenCandidates(links)), alignment)
    of_pair = with_evidence(aligner, alignment, candidates=links)
    for explained in (of_provider, of_pair):
        he, died = explained.word_evidence
        assert he[:2] == ("identical", "lemma") and he[-1] == "given"
        assert died == ("synonym", "given")


def test_paraphrases_of_the_user_are_evidence() -> None:
    aligner = forest_align.load("contextual")
    alignment = aligner.align("He died.", "He perished.")
    table = PairTable([("died", "perished")])
    explained = with_evidence(aligner, alignment, table)
    assert "ppdb" in dict(zip(alignment.words, explained.word_evidence, strict=True))[1, 1]
    with_table = forest_align.load("contextual", ppdb=table)
    assert "ppdb" in names_of(with_table, alignment)["died perished"]
    # An empty table is a table.
    assert "ppdb" not in names_of(with_table, alignment, PairTable([]))["died perished"]
