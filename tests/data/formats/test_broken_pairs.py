"""A broken pair: its error has its place, it keeps what could be read of it, and the rest still comes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from forest_align.data.formats.format import PairError
from forest_align.data.pairs import SentencePair
from forest_align.types import InputError

from ..pair_files import good, read, written

CASES = [
    # format, content with one broken pair, its name, source and target
    ("tsv", "He died .\t \tp7\n", ("p7", "He died .", " ")),
    ("tsv", "He died .\n", ("1", "He died .", "")),
    ("tsv", "a\tb\tp7\tx\n", ("p7", "a", "b")),
    ("jsonl", '{"id": "p7", "source": "He died ."}\n', ("p7", "He died .", "")),
    ("jsonl", '{"id": "p7", "source": {"tokens": []}, "target": {"tokens": ["a"]}}\n', ("p7", "", "a")),
    ("jsonl", '{"id": 7, "source": 3, "target": {"text": "He"}}\n', ("7", "", "He")),
    (
        "jsonl",
        '{"id": "7", "version": 1, "source": {"tokens": ["a"]}, "target": {"text": "x"}}',
        ("7", "a", "x"),
    ),
    ("jacana", '[{"id": "p7", "source": "a", "target": "b", "sureAlign": "0-1"}]', ("p7", "a", "b")),
    ("multimwa", "p7\ta\tN/A\tb\tN/A\t1\t1\t0-1\t\n", ("p7", "a", "b")),
    ("msr-rte", "# sentence pair 7\na\nNULL ({ / / }) b ({ 2 / / })\n", ("7", "a", "b")),
    ("msr-rte", "# sentence pair 7\na\nNULL ({ / / }) b ({ x / / })\n", ("7", "a", "")),
    (
        "ists",
        '<sentence id="7">\n// a\n// b\n<source>\n1 a :\n</source>\n<translation>\n1 b :\n</translation>\n'
        "<alignment>\n2 <==> 1 // EQUI // 5 //\n</alignment>\n</sentence>\n",
        ("7", "a", "b"),
    ),
    ("ists", '<sentence id="7">\n// a\n// b\n<source>\n1 a :\n', ("7", "a", "b")),
    ("sts", "9\ta\tb\n", ("1", "a", "b")),
    ("msrp", "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n2\t11\t12\ta\tb\n", ("11-12", "a", "b")),
    ("qa", 'qtext,label,atext\nWho ?,1,"  "\n', ("1.1", "Who ?", "  ")),
    ("rte", '<entailment-corpus><pair id="7"><t>a</t></pair></entailment-corpus>', ("7", "a", "")),
    ("trees", "(X a)\t(X b\tp7\n", ("p7", "a", "")),
    ("table", "id,source,target\np7,He died .,\n", ("p7", "He died .", "")),
    ("table", "id\tsource\ttarget\np7\tHe died .\n", ("p7", "He died .", "")),
    ("jacana", '[{"id": "p7", "source": "a", "target": ""}]', ("p7", "a", "")),
    ("m2", "S a b\nA 1 3|||R|||c|||REQUIRED|||-NONE-|||0\n\n", ("1", "a b", "")),
    ("bars", "a ||| b ||| c\n", ("1", "a", "b")),
    ("jsonl", '{"pairID": "p7", "premise": "a", "hypothesis": 3}', ("p7", "a", "")),
    ("jacana", '[{"id": "p7", "source": "a", "sureAlign": ""}]', ("p7", "a", "")),
    ("jacana", '[{"id": "p7", "source": 3, "target": "b", "sureAlign": ""}]', ("p7", "", "b")),
    ("jacana", '[{"source": "a", "target": "b", "sureAlign": ""}]', ("1", "a", "b")),
    ("jacana", '[{"id": 7.0, "source": "a"}]', ("7", "a", "")),
    ("jsonl", '{"id": "p7", "source": {"tree": "(X (Y a))"}, "target": 3}\n', ("p7", "a", "")),
    ("jsonl", '{"id": 7.0, "source": "a", "target": 3}\n', ("7", "a", "")),
    ("jsonl", '{"id": 7.5, "source": "a", "target": "b"}\n', ("1", "a", "b")),
    ("multimwa", "p7\tHe died .\tN/A\tHe left .\n", ("p7", "He died .", "He left .")),
    ("multimwa", "He died .\n", ("1", "", "")),
    ("msrp", "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t14\t15\ta\n", ("14-15", "a", "")),
    ("msrp", "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\n", ("2", "", "")),
    ("msr-rte", "# sentence pair 7\nHe died .\n", ("7", "He died .", "")),
    ("msr-rte", "# sentence pair 7\nNULL ({ / / }) b ({ 1 / / })\n", ("7", "", "")),
    ("qa", "qtext,label,atext\nWho ?,2,He\n", ("1.1", "Who ?", "He")),
    ("qa", "qtext,label,atext\nWho ?,0\n", ("2", "Who ?", "")),
    ("rte", "<entailment-corpus>\n<pair><t>a</t><h>b</h></pair></entailment-corpus>", ("1", "a", "b")),
    ("sts", "4\ta\n", ("1", "a", "")),
    ("trees", "(X a\t(X b)\n", ("1", "", "b")),
    ("trees", "(X a)\n", ("1", "a", "")),
]


@pytest.mark.parametrize(("name", "content", "expected"), CASES)
def test_a_broken_pair_still_says_which_pair_it_is(
    name: str, content: str, expected: tuple[str, str, str], tmp_path: Path
) -> None:
    (broken,) = read(tmp_path, content, name)
    assert isinstance(broken, PairError)
    assert (broken.id, broken.source, broken.target) == expected
    assert broken.file == str(tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("jacana", '[{"source": "a"}, {"target": "b"}, 3, {'),
        ("rte", "<entailment-corpus><pair><t>a</t></pair><pair><h>b</h></pair>"),
        ("qa", "qtext,label,atext\nWho ?,2,He\nWho ?,3,She\nWho ?\n"),
        ("msr-rte", "# sentence pair 7\n# sentence pair 8\na\n"),
    ],
)
def test_broken_pairs_of_one_file_have_names_of_their_own(name: str, content: str, tmp_path: Path) -> None:
    broken = read(tmp_path, content, name)
    assert len({pair.id for pair in broken if isinstance(pair, PairError)}) == len(broken) > 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("jacana", '[{"id": "x", "source": "a", "target": "b"}, {"id": "y", "source": "a"}]'),
        ("jacana", '[{"id": "x", "source": "a", "target": "b", "sureAlign": ""}, 3]'),
        ("rte", '<entailment-corpus><pair id="x"><t>a</t><h>b</h></pair><pair id="y"><t>a</t></pair>'),
    ],
)
def test_of_many_pairs_on_one_line_a_message_says_which_is_broken(
    name: str, content: str, tmp_path: Path
) -> None:
    _, error, *_ = read(tmp_path, content, name)
    assert isinstance(error, PairError)
    assert str(error).startswith(f"{tmp_path / 'file'}:1: ")
    assert error.message.startswith("pair 2 of the file: ")


@pytest.mark.parametrize("rest", [', {"id": "y" "z"}]', ",]", "", '{"id": "y"}]'])
def test_broken_json_on_one_line_is_told_with_the_pair_before_it(rest: str, tmp_path: Path) -> None:
    content = '[{"id": "x", "source": "a", "target": "b", "sureAlign": ""}' + rest
    pair, error = read(tmp_path, content)
    assert isinstance(pair, SentencePair) and isinstance(error, PairError)
    assert str(error).startswith(f"{tmp_path / 'file'}:1: after pair 1 of the file: ")


def test_a_broken_answer_counts_as_one(tmp_path: Path) -> None:
    pairs = read(tmp_path, "qtext,label,atext\nWho ?,1,He\nWho ?,2,She\nWho ?,0,They\n")
    assert [pair.id for pair in pairs if isinstance(pair, SentencePair)] == ["1.1", "1.3"]


def test_a_line_that_is_not_utf_8_leaves_the_pair_of_an_annotator_its_name(tmp_path: Path) -> None:
    (broken,) = read(tmp_path, b"# sentence pair 7\na b\nNULL ({ / / }) caf\xe9 ({ 1 / / })\n")
    assert isinstance(broken, PairError)
    assert (broken.id, broken.source, broken.line) == ("7", "a b", 3)


def test_a_pair_whose_links_are_broken_keeps_its_sentences(tmp_path: Path) -> None:
    written(tmp_path / "x.tsv", "a b\tc\tp1\na\tb\tp2\n")
    broken = read(tmp_path, "0-0 x\n0-1\n", name="x.pharaoh")
    parts = [(pair.id, pair.source, pair.target, pair.line) for pair in broken if isinstance(pair, PairError)]
    assert parts == [("p1", "a b", "c", 1), ("p2", "a", "b", 2)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("jacana", '[{"id": "1", "source": "a", "target": "b", "sureAlign": "0-9999"}]'),
        ("multimwa", "1\ta\tN/A\tb\tN/A\t1\t1\t0-9999\t\n"),
        ("msr-rte", "# sentence pair 1\na\nNULL ({ / / }) b ({ 9999 / / })\n"),
        (
            "ists",
            '<sentence id="1">\n<source>\n9999 a :\n</source>\n<alignment>\n9999 <==> 1 // A // 1 //\n'
            "</alignment>\n</sentence>\n",
        ),
        (
            "jsonl",
            '{"source": {"tokens": ["a"]}, "target": {"tokens": ["b"]}, '
            '"chunks": [{"source": [9999], "target": [0], "type": "EQUI"}]}\n',
        ),
    ],
)
def test_numbers_of_any_length_are_errors_of_their_pair(name: str, content: str, tmp_path: Path) -> None:
    for digits in ("9999", "9" * 5000):
        (broken,) = read(tmp_path, content.replace("9999", digits), name)
        assert isinstance(broken, InputError), (name, digits[:5])


def test_json_with_a_number_that_python_does_not_read_is_an_error_with_its_line(tmp_path: Path) -> None:
    content = f'[\n{{"id": {"9" * 5000}, "source": "a", "target": "b", "sureAlign": ""}}]'
    (broken,) = read(tmp_path, content, "jacana")
    assert isinstance(broken, InputError)
    assert (broken.line, broken.message[:8]) == (2, "not JSON")


def test_a_chunk_of_tokens_that_are_not_there_is_refused(tmp_path: Path) -> None:
    chunk = '{"source": [-1], "target": [0], "type": "EQUI"}'
    (broken,) = read(tmp_path, f'{{"source": ["a"], "target": ["b"], "chunks": [{chunk}]}}\n')
    assert isinstance(broken, PairError) and broken.field == "chunks[0].source[0]"
    assert broken.message == "expected an integer of at least 0, found number -1"


# Of each format a file of a pair, a broken one, and another pair.
FRAMES = {
    "tsv": "a\tb\nBROKENc\td\n",
    "jsonl": '{"source": "a", "target": "b"}\nBROKEN{"source": "c", "target": "d"}\n',
    "jacana": '[{"id": "1", "source": "a", "target": "b", "sureAlign": "0-0"},\n'
    'BROKEN{"id": "3", "source": "c", "target": "d", "sureAlign": ""}]',
    "multimwa": "1\ta\tN/A\tb\tN/A\t1\t1\t0-0\t\nBROKEN3\tc\tN/A\td\tN/A\t1\t1\t\t\n",
    "msr-rte": "# sentence pair 1\na\nNULL ({ / / }) b ({ 1 / / })\n"
    "BROKEN# sentence pair 3\nc\nNULL ({ / / }) d ({ / / })\n",
    "sts": "1\ta\tb\nBROKEN2\tc\td\n",
    "msrp": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t1\t2\ta\tb\nBROKEN0\t1\t2\tc\td\n",
    "qa": "qtext,label,atext\na,1,b\nBROKENc,0,d\n",
    "rte": '<entailment-corpus>\n<pair id="1"><t>a</t><h>b</h></pair>\n'
    'BROKEN<pair id="3"><t>c</t><h>d</h></pair>\n</entailment-corpus>',
    "table": "source,target\na,b\nBROKENc,d\n",
    "trees": "(X a)\t(X b)\nBROKEN(X c)\t(X d)\n",
    "bars": "a ||| b\nBROKENc ||| d\n",
    "m2": "S a\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\nBROKENS c\n",
}
NAMES = "expected fields with the names source and target, or such, found 'source'"
EDIT = "R|||c|||REQUIRED|||-NONE-|||0"
BROKEN = [
    # format, the broken pair, line, field, what the message says
    ("tsv", "\n", 2, None, "blank line"),
    ("tsv", "only one column\n", 2, None, "expected 2 columns"),
    ("tsv", "1\t2\t3\t4\n", 2, None, "found 4"),
    ("tsv", " \tb\n", 2, "source", "found nothing"),
    ("jsonl", '{"source": "a"}\n', 2, None, NAMES),
    ("jsonl", '{"source": \n', 2, None, "not JSON"),
    ("jsonl", "\n", 2, None, "blank line"),
    ("jsonl", '{"source": "a", "target": "b", "words": [[0, 0]]}\n', 2, "words", "tokens"),
    ("jsonl", '{"source": ["a"], "target": ["b"], "words": [[0, 1]]}\n', 2, "words", "out of range"),
    ("jacana", '{"id": "2", "source": "a", "target": "b", "sureAlign": "0-1"},\n', 2, "sureAlign", "range"),
    ("jacana", '{"id": "2", "source": "a", "target": "b", "possibleAlign": ""},', 2, "sureAlign", "required"),
    ("multimwa", "2\ta\tN/A\tb\tN/A\t1\t1\t0-0\t0:0\n", 2, "possible", "0:0"),
    ("msr-rte", "# sentence pair 2\na\nNULL ({ / / }) b ({ 2 / / })\n", 6, None, "number 2 is out of range"),
    ("msr-rte", "# sentence pair 2\na\n", 4, None, "three lines"),
    ("msr-rte", "# sentence pair 2\na\nNULL ({ / / }) b ({ x / / })\n", 6, None, "'x'"),
    ("sts", "7\ta\tb\n", 2, "score", "from 0 to 5"),
    ("sts", "nan\ta\tb\n", 2, "score", "from 0 to 5"),
    ("msrp", "2\t1\t2\ta\tb\n", 3, "Quality", "0 or 1"),
    ("qa", "a,maybe,b\n", 3, None, "0 or 1"),
    ("qa", '"a\nb",maybe,b\n', 3, None, "0 or 1"),
    ("rte", '<pair id="2"><t>a</t></pair>\n', 3, "h", "found nothing"),
    ("table", '"a\nb",c,d\n', 3, None, "expected 2 columns"),
    ("table", "a,b,c\n", 3, None, "expected 2 columns as in the header, found 3"),
    ("table", '"a"x,b\n', 3, None, "broken CSV"),
    ("trees", "(X a)\t(X b\n", 2, "target", "never closed"),
    ("bars", "a b\n", 2, None, "expected source ||| target, found 1"),
    ("m2", f"S a b\nA 0 2|||{EDIT}\nA 1 2|||{EDIT}\n\n", 6, None, "do not overlap"),
    ("m2", f"A 0 1|||{EDIT}\n\n", 4, None, "a sentence, 'S words'"),
    ("m2", "S b\nA 0 1|||R|||c\n\n", 5, None, "'A start end|||type"),
]


@pytest.mark.parametrize(("name", "broken_pair", "line", "field", "message"), BROKEN)
def test_a_broken_pair_is_an_error_with_its_place_and_the_rest_still_comes(
    name: str, broken_pair: str, line: int, field: str | None, message: str, tmp_path: Path
) -> None:
    before, broken, after = read(tmp_path, FRAMES[name].replace("BROKEN", broken_pair), name)
    assert isinstance(before, SentencePair) and isinstance(after, SentencePair)
    assert isinstance(broken, InputError)
    assert (broken.file, broken.line, broken.field) == (str(tmp_path / "file"), line, field)
    assert message in broken.message


@pytest.mark.parametrize(("name", "header"), [("table", "source,label,target"), ("qa", "qtext,label,atext")])
def test_a_quote_that_is_never_closed_is_named_with_its_line_and_the_rest_still_comes(
    name: str, header: str, tmp_path: Path
) -> None:
    broken, *others = read(tmp_path, f'{header}\n"a,1,b\nc,0,d\ne,1,f\n', name)
    assert isinstance(broken, InputError) and "broken CSV" in broken.message and broken.line == 2
    assert [(pair.source.text, pair.target.text) for pair in good(others)] == [("c", "d"), ("e", "f")]


def test_a_broken_pair_can_be_sent_to_another_process() -> None:
    error = InputError("expected a tree", file="pairs.json", line=3, field="tree").at(line=4)
    sent = PairError(error, "pair 7", "He died.", "He passed away.")
    received = pickle.loads(pickle.dumps(sent))
    assert type(received) is PairError
    assert str(received) == str(sent) == "pairs.json:3: field 'tree': expected a tree"
    assert (received.id, received.source, received.target) == ("pair 7", "He died.", "He passed away.")
    assert (received.message, received.line, received.field) == ("expected a tree", 3, "tree")
