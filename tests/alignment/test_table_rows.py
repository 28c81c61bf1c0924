from __future__ import annotations

from dataclasses import replace

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.alignment.table_rows import COLUMNS, line_of, to_row
from forest_align.types import Node, Sentence


def example() -> Alignment:
    source, target = Sentence.from_words(["he", "died"]), Sentence.from_words(["he", "passed", "away"])
    phrases = (
        PhrasePair(Node(0, 1, "NP"), Node(0, 1, "NP"), 1.0, True),
        PhrasePair(Node(1, 2, "VP"), Node(1, 3, "VP"), 0.75, True),
    )
    links = Links(((0, 0), (1, 1)), scores=(1.0, 0.5))
    return Alignment(source, target, links, phrases, id="7")


def test_phrases_of_single_words_are_among_the_links_alone() -> None:
    cells = to_row(example(), "\t").removesuffix("\n").split("\t")
    assert dict(zip(COLUMNS, cells, strict=True)) == {
        "id": "7",
        "source": "he died",
        "target": "he passed away",
        "links": "0-0 1-1",
        "words": "he ↔ he 1.00 | died ↔ passed 0.50",
        "phrases": "died ↔ passed away 0.75",
        "error": "",
        "paraphrase_probability": "",
    }


def test_a_row_is_one_line_whatever_its_cells_hold() -> None:
    failed = Alignment.failed("one\r\ntwo\tthree", id='a,"b"')
    failed = replace(failed, source=Sentence((), text="x\ny"))
    assert to_row(failed, "\t") == 'a,"b"\tx y\t\t\t\t\tone two three\t\n'
    assert to_row(failed, ",") == '"a,""b""",x y,,,,,one two three,\n'
    assert line_of(COLUMNS, ",") == "id,source,target,links,words,phrases,error,paraphrase_probability\n"
