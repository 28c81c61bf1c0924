from __future__ import annotations

from forest_align.eval.benchmarks.table_aligners import ParseOnce
from forest_align.types import InputError, Sentence


class Counting:
    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def parse_many(self, sentences, batch_size):
        for words in sentences:
            self.asked.append(words)
            yield Sentence.from_words(words) if words != ("bad",) else InputError("bad")


def test_each_sentence_is_parsed_once_and_comes_out_wherever_it_stands() -> None:
    parser = Counting()
    shared = ParseOnce(parser)
    first = list(shared.parse_many([["a"], ["b", "c"], ["a"], ["bad"]]))
    assert [one.words for one in first[:3]] == [("a",), ("b", "c"), ("a",)]
    again = list(shared.parse_many([["bad"], ["d"], ["a"]], 8))
    assert again[0] is first[3] and again[2] is first[0]
    assert parser.asked == [("a",), ("b", "c"), ("bad",), ("d",)]
