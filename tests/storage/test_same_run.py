from __future__ import annotations

import pytest

from forest_align.storage.outputs import check_same_pair
from forest_align.types import InputError

PAIR = ("7", (("He", "died"), ("He", "left")))


@pytest.mark.parametrize("found", [PAIR, ("7", ((), ("He", "left"))), ("7", ((), ()))])
def test_the_same_pair_may_be_continued_even_where_words_are_not_known(found: tuple) -> None:
    check_same_pair(PAIR, found, file="x.jsonl", line=3)
    check_same_pair(found, PAIR, file="x.jsonl", line=3)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (("8", PAIR[1]), "expected the alignment of pair '7', found that of '8'"),
        (("7", (("He", "died"), ("He",))), "the target of pair '7' is 'He left' now and 'He' in it"),
    ],
)
def test_another_pair_is_refused_with_what_differs(found: tuple, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_same_pair(PAIR, found, file="x.jsonl", line=3)
    assert str(caught.value).startswith("x.jsonl:3: cannot resume: ")
    assert message in str(caught.value)
