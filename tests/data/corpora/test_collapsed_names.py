"""Names become single tokens, and links follow their words."""

from __future__ import annotations

from forest_align.alignment import Links
from forest_align.data.corpora.published_corpora import collapse, collapsed_links


def test_the_words_of_a_name_are_joined() -> None:
    words = ["the", "Bank", "of", "Holland", "lent", "New", "York", "money"]
    tokens, places = collapse(words, [(1, 4), (5, 7)])
    assert tokens == ("the", "Bank_of_Holland", "lent", "New_York", "money")
    assert places == [0, 1, 1, 1, 2, 3, 3, 4]
    assert collapse(words, []) == (tuple(words), list(range(8)))


def test_links_of_the_words_of_a_name_become_one() -> None:
    _, source = collapse(["in", "New", "York"], [(1, 3)])
    _, target = collapse(["New", "York", "City", "now"], [(0, 3)])
    links = Links.of([(1, 0), (2, 1), (2, 2), (0, 3)], sure=[False, True, False, False])
    found = collapsed_links(links, source, target)
    assert found == Links.of([(0, 1), (1, 0)], sure=[False, True])
    assert collapsed_links(Links.of([(1, 0), (2, 1)]), source, target) == Links.of([(1, 0)])
