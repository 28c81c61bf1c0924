"""Every format: round trips on small files, recognition by content, and what is not read or written."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links
from forest_align.data.formats.fields import COLUMN_NAMES
from forest_align.data.pairs import FORMATS, ChunkLink, SentencePair, find_format, read_pairs, write_pairs
from forest_align.data.text.lines import InputLines, TextLines
from forest_align.types import InputError, InputWarning, Sentence

from ..pair_files import good, read, written

SMALL = {
    "tsv": 'He died .\tHe passed away .\tp1\nA & "b"\tC <d>\tp2\n',
    "jsonl": '{"id": "p1", "source": {"text": "He died."}, "target": {"text": "He passed"}, "score": 0.5}\n'
    '{"id": "p2", "source": {"text": "a b", "tokens": ["a", "b"]}, "target": {"text": "c", "tokens": ["c"], '
    '"trees": [["(X (Y c))", -0.5]]}, "words": [[1, 0]], '
    '"word_sure": [false], "word_probabilities": [0.25], "label": true, "group": "g"}\n'
    '{"id": "p3", "source": {"text": "I left", "tokens": ["I", "left"]}, "target": {"text": "I went away"}, '
    '"phrases": [{"type": "Addition/Deletion", "sense_preserving": false, "source": [1], "target": []}], '
    '"marked": [{"source": [2, 6], "target": [2, 11], "same": true}]}\n',
    "jacana": '[\n{\n "id": "p1",\n "name": "p1",\n "source": "He died .",\n "target": "He passed away .",\n'
    ' "sureAlign": "0-0 1-1 2-3",\n "possibleAlign": "1-2"\n},\n'
    '{\n "id": "p2",\n "name": "p2",\n "source": "a",\n'
    ' "target": "b",\n "sureAlign": "",\n "possibleAlign": ""\n}\n]\n',
    "multimwa": "p1\tHe died .\tN/A\tHe passed away .\tN/A\t1\t1\t0-0 1-1 2-3\t1-2\t\n"
    "p2\ta\tN/A\tb\tN/A\t1\t1\t\t\t\n",
    "msr-rte": "# sentence pair 1\nHe died . \n"
    "NULL ({ / / }) He ({ 1 / / }) passed ({ 2 p3 / / }) away ({ / / }) . ({ 3 / / }) \n",
    "ists": '<sentence id="1" status="">\n// He died .\n// He passed away .\n'
    "<source>\n1 He : \n2 died : \n3 . : \n"
    "</source>\n<translation>\n1 He : \n2 passed : \n3 away : \n4 . : \n</translation>\n<alignment>\n"
    "1 <==> 1 // EQUI // 5 // He <==> He \n2 <==> 2 3 // SIMI // 4 // died <==> passed away \n"
    "3 <==> 0 // NOALI // NIL // . <==> -not aligned- \n</alignment>\n</sentence>\n\n\n",
    "sts": "4.25\tHe died .\tHe passed away .\n0\ta\tb\n",
    "msrp": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    '1\t11\t12\tHe "died".\tHe passed away.\n0\t13\t14\ta\tb\n',
    "ssd": "premise\thypothesis\tspan_similarity\tsentence_similarity\n"
    "He {{died}} in {{May}}.\tHe {{passed away}} in {{June}}.\t1,0\t0\nA dog.\tA dog.\t\t1\n",
    "qa": 'qtext,label,atext\n"Who died , exactly ?",1,"He , ""the man"" , died"\nWho ?,0,He\n',
    "rte": '<?xml version="1.0" encoding="UTF-8"?>\n<entailment-corpus>\n'
    '<pair id="7" entailment="YES" task="IE">\n'
    '<t>Tom &amp; Al &lt;died&gt;.</t>\n<h>He passed.</h>\n</pair>\n<pair id="8" entailment="NO">\n<t>a</t>\n'
    "<h>b</h>\n</pair>\n</entailment-corpus>\n",
    "trees": "(S (NP (PRP He)) (VP (VBD died)))\t(S (NP (PRP He)) (VP (VBD passed) (PRT (RP away))))\tp1\n",
}
#: The lines on which the pairs of these files begin, if not on the first ones.
BEGUN = {"jacana": (2, 10), "msrp": (2, 3), "ssd": (2, 3), "qa": (2, 3), "rte": (3, 7)}
RAW = ["tsv", "sts", "msrp", "rte", "qa"]
LINKED = ["jacana", "multimwa", "msr-rte", "pharaoh"]


def contents(pair: SentencePair) -> dict[str, Any]:
    values = {name: getattr(pair, name) for name, field in pair.__dataclass_fields__.items() if field.compare}
    for side in ("source", "target"):
        values[side] = (values[side].tokens, values[side].text)
    values["alignment"] = pair.alignment and pair.alignment.to_dict()
    return values


def pair_of(source: Sentence | str, target: Sentence | str = "b", **values: Any) -> SentencePair:
    """A pair called p1 of sentences or raw texts."""
    sides = (Sentence((), text=side) if isinstance(side, str) else side for side in (source, target))
    return SentencePair("p1", *sides, **values)


@pytest.mark.parametrize("name", SMALL)
def test_a_file_is_written_as_it_was_read_and_its_pairs_know_their_lines(name: str, tmp_path: Path) -> None:
    source, copy = written(tmp_path / "source.x", SMALL[name]), tmp_path / "copy.x"
    pairs = good(read_pairs(source, name))
    assert write_pairs(pairs, copy, name) == len(pairs) > 0
    assert copy.read_text(encoding="utf-8") == SMALL[name]
    lines = BEGUN.get(name, (1, 2, 3))[: len(pairs)]
    assert [pair.place for pair in pairs] == [(str(source), line) for line in lines]


def test_every_format_that_can_be_written_is_in_these_tests() -> None:
    assert {name for name, f in FORMATS.items() if f.writer} == {*SMALL, "pharaoh"}


@pytest.mark.parametrize("name", SMALL)
def test_the_format_is_told_by_the_content(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "file", "\ufeff" + SMALL[name].replace("\n", "\r\n"))
    guessed, named = good(read_pairs(path)), good(read_pairs(path, name))
    assert [contents(pair) for pair in guessed] == [contents(pair) for pair in named]


@pytest.mark.parametrize("name", ["tsv", "jsonl", "multimwa", "sts", "trees"])
def test_a_broken_line_does_not_hide_the_format(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, SMALL[name].split("\n")[0] + "\nbroken\n" + SMALL[name])
    assert [isinstance(item, InputError) for item in found[:3]] == [False, True, False]
    assert isinstance(found[0], SentencePair)
    assert contents(found[0]) == contents(good(read(tmp_path, SMALL[name], name))[0])


def test_a_file_of_trees_is_known_by_its_name_however_many_lines_are_broken(tmp_path: Path) -> None:
    first, second, third = read(tmp_path, "(X a\t(X b)\n(X a)\t(X b\n(X c)\t(X d)\n", name="a.trees")
    assert isinstance(first, InputError) and isinstance(second, InputError)
    write_pairs([third], tmp_path / "again.trees")
    (again,) = good(read_pairs(tmp_path / "again.trees"))
    assert again.source_trees == (("(X c)", 0.0),)


def test_plain_output_of_enju_is_not_taken_for_a_chunk_file(tmp_path: Path) -> None:
    sentence = (
        '<sentence id="s0" parse_status="success"><cons id="c0" cat="NX" head="t0" sem_head="t0">'
        '<tok id="t0" cat="N" pos="NNP" base="kim">Kim</tok></cons></sentence>'
    )
    for side in "st":
        written(tmp_path / f"{side}-1.xml", sentence)
    (pair,) = good(read_pairs(tmp_path / "s-1.xml"))
    assert (pair.source.words, pair.target.words) == (("Kim",), ("Kim",))


def test_an_empty_file_has_no_pairs_and_unknown_formats_are_errors(tmp_path: Path) -> None:
    assert read(tmp_path, "") == []
    with pytest.raises(InputError, match="cannot recognise the format"):
        read(tmp_path, "just some text\n")
    with pytest.raises(InputError, match="jsonl, jacana"):
        find_format("excel")
    for text in ('{\n "pairs": []\n}\n', '["a", "b"]\n'):
        with pytest.raises(InputError, match=r"JSON list of objects with source and target, .*jsonl"):
            read(tmp_path, text, name="x.json")


IDS = [
    ('"id": "a", "name": "b"', "a"),
    ('"name": "b"', "b"),
    ('"id": 7', "7"),
    ('"id": 0, "name": "b"', "0"),
    ('"id": "x"', "x"),
    ('"id": 7.0', "7"),
    ('"id": 7.5', None),
    ('"id": true', None),
]


@pytest.mark.parametrize("name", ["jsonl", "jacana"])
@pytest.mark.parametrize(("names", "id"), IDS)
def test_an_id_is_a_string_or_a_whole_number_and_may_be_a_name_in_jacana(
    name: str, names: str, id: str | None, tmp_path: Path
) -> None:
    pair = f'{{{names}, "source": "a", "target": "b", "sureAlign": ""}}'
    (found,) = read(tmp_path, pair if name == "jsonl" else f"[{pair}]", name)
    if id is None:
        assert isinstance(found, InputError) and found.field == "id"
        assert "expected a string or a whole number, found " in found.message
    else:
        assert isinstance(found, SentencePair)
        assert found.id == ("1" if name == "jsonl" and '"id"' not in names else id)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("tsv", 'a b c"d'), ("jsonl", 'a\tb\nc"d'), ("jacana", 'a\tb\nc"d'), ("multimwa", 'a b c"d')),
        *(("msr-rte", 'a_b_c"d'), ("ists", "a b c'd"), ("msrp", 'a b c"d-a b c"d'), ("rte", 'a\tb\nc"d')),
        ("trees", 'a b c"d'),
    ],
)
def test_a_name_cannot_break_the_line(name: str, expected: str, tmp_path: Path) -> None:
    pair, *_ = good(read(tmp_path, SMALL[name], name))
    write_pairs([replace(pair, id='a\tb\nc"d')], tmp_path / "out.txt", name)
    assert [again.id for again in good(read_pairs(tmp_path / "out.txt", name))] == [expected]


def test_pharaoh_links_are_beside_their_sentences(tmp_path: Path) -> None:
    pairs = good(read(tmp_path, SMALL["jacana"], name="gold.json"))
    write_pairs(pairs, tmp_path / "gold.pharaoh")
    assert (tmp_path / "gold.pharaoh").read_text() == "0-0 1-1 1p2 2-3\n\n"
    assert [contents(p) for p in read_pairs(tmp_path / "gold.pharaoh")] == [contents(p) for p in pairs]
    sentences = (tmp_path / "gold.tsv").read_text()
    with pytest.raises(InputError, match="give the output another extension"):
        write_pairs([], tmp_path / "gold.tsv", "pharaoh")
    assert (tmp_path / "gold.tsv").read_text() == sentences


def pharaoh(folder: Path, sentences: str, links: str) -> list[SentencePair | InputError]:
    written(folder / "gold.tsv", sentences)
    return read(folder, links, name="gold.pharaoh")


def test_blank_lines_at_the_end_of_links_or_sentences_are_no_pairs(tmp_path: Path) -> None:
    for sentences, links in (("\n", ""), ("", "\n"), ("\n", "\n")):
        pairs = good(pharaoh(tmp_path, "a\tb\nc\td\n" + sentences, "0-0\n\n" + links))
        assert [len(pair.links or ()) for pair in pairs] == [1, 0]


def test_links_of_other_tokens_are_told_which_tokens_count(tmp_path: Path) -> None:
    (error,) = pharaoh(tmp_path, "He can't.\tHe cannot.\n", "0-0 3-3\n")
    assert str(error) == (
        f"{tmp_path / 'gold.pharaoh'}:1: link 3-3 is out of range: the sentences have 2 and 2 tokens; "
        "links count the tokens that the file of sentences has, in plain text those between spaces "
        "('align --tokenized' makes such links)"
    )
    with pytest.raises(InputError, match=re.escape(str(tmp_path / "other.tsv"))):
        read(tmp_path, "0-0\n", name="other.pharaoh")


@pytest.mark.parametrize(
    ("sentences", "links", "place", "id"),
    [("a\tb\nc\td\te\n", "0-0\n", "gold.tsv:2: ", "e"), ("a\tb\n", "0-0\n0-0\n", "gold.pharaoh:2: ", None)],
)
def test_where_one_file_of_pharaoh_links_and_sentences_ends_earlier_each_line_is_an_error(
    sentences: str, links: str, place: str, id: str | None, tmp_path: Path
) -> None:
    first, second = pharaoh(tmp_path, sentences, links)
    assert isinstance(first, SentencePair)
    assert isinstance(second, InputError) and "end earlier" in str(second) and place in str(second)
    assert getattr(second, "id", None) == id


FAILED = Alignment(Sentence.from_words(["a"]), Sentence.from_words(["a"]), error="too long")
B = Sentence.from_words(["b"])
CHUNK = pair_of(B, B, chunks=(ChunkLink((0,), (0,), "EQUI", "5"),))
LINK = pair_of(Sentence.from_words(["a", "x"]), B, links=Links.of([(1, 0)]))
REFUSED: list[tuple[list[str], SentencePair, str]] = [
    # names of formats, pair, what the message says
    (["rte"], pair_of(Sentence.from_words(["a\x00"])), "has '\\x00', which format rte cannot hold"),
    (LINKED, pair_of(B, B, links=Links(), alignment=FAILED), "could not be aligned: too long"),
    (RAW, pair_of(Sentence(()), label=True, score=1.0), "lacks a sentence, which format"),
]
for word in ("New York", "a\tb", ""):
    pair = replace(LINK, source=Sentence.from_words([word, "x"]))
    REFUSED.append((LINKED, pair, f"has the token {word!r}"))
for score in (-0.5, 5.5, float("nan")):
    REFUSED.append(
        (["sts"], pair_of("a", score=score), f"has the score {score}; format sts holds those from 0")
    )
for said in (("", "5"), ("EQUI SIMI", "5"), ("EQUI", ""), ("EQUI", "5 ")):
    pair = replace(CHUNK, chunks=(ChunkLink((0,), (0,), *said),))
    REFUSED.append((["ists"], pair, f"has a chunk of type {said[0]!r} and score {said[1]!r}"))
for name, missing in (
    *(("jacana", "word links"), ("sts", "similarity score"), ("msrp", "label"), ("qa", "label")),
    *(("trees", "trees"), ("ists", "chunk alignment"), ("ssd", "marked spans or no label")),
):
    REFUSED.append(([name], pair_of("a b"), f"has no {missing}, which format {name} needs"))


@pytest.mark.parametrize(("names", "pair", "message"), REFUSED)
def test_what_would_not_be_read_back_is_not_written(
    names: list[str], pair: SentencePair, message: str, tmp_path: Path
) -> None:
    for name in names:
        with pytest.raises(InputError, match=f"pair 'p1' .*{re.escape(message)}"):
            write_pairs([pair], tmp_path / "out.txt", name)


@pytest.mark.parametrize("name", ["jsonl", *LINKED])
@pytest.mark.parametrize("blank", ["\N{NO-BREAK SPACE}", "\N{LINE SEPARATOR}", "\N{IDEOGRAPHIC SPACE}"])
def test_other_blanks_stay_inside_their_token(name: str, blank: str, tmp_path: Path) -> None:
    words = [f"a{blank}b", "c"], ["d", f"e{blank}f"]
    pair = SentencePair("1", *map(Sentence.from_words, words), Links.of([(0, 1), (1, 0)]))
    write_pairs([pair], tmp_path / "x.txt", name)
    (back,) = good(read_pairs(tmp_path / "x.txt", name))
    assert ([*back.source.words], [*back.target.words], back.links) == (*words, pair.links)


def test_pairs_can_be_written_to_the_file_that_they_come_from(tmp_path: Path) -> None:
    path = written(tmp_path / "gold.jsonl", SMALL["jsonl"])
    path.chmod(0o640)
    assert write_pairs(read_pairs(path), path) == 3
    assert path.read_text() == SMALL["jsonl"]
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = written(tmp_path / "out.json", "precious")
    pairs = '[{"id": "1", "source": "a", "target": "b", "sureAlign": ""}, {"id": "2"}]'
    broken = written(tmp_path / "in.json", pairs)
    with pytest.raises(InputError, match=r"in\.json:1: .*names source and target"):
        write_pairs(read_pairs(broken), path)
    with pytest.raises(OSError, match="nowhere"):
        write_pairs(read_pairs(tmp_path / "nowhere"), path)
    for format in ("jsonl", None):
        with pytest.raises(InputError, match=r"x\.jsonl\.gz: output is not compressed"):
            write_pairs([], tmp_path / "x.jsonl.gz", format)
    missing = tmp_path / "no folder" / "x.jsonl"
    with pytest.raises(FileNotFoundError) as caught:
        write_pairs([], missing)
    assert caught.value.filename == str(missing)
    assert path.read_text() == "precious"
    assert {*tmp_path.iterdir()} == {path, broken}


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_pairs([pair_of("a")], pipe, "tsv")
    assert os.read(reader, 99) == b"a\tb\tp1\n"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["tsv", "jsonl", "multimwa", "sts", "qa"])
def test_a_line_that_is_not_utf_8_is_an_error_of_its_own(name: str, tmp_path: Path) -> None:
    content = SMALL[name].encode()
    found = read(tmp_path, content + b"\xff\xfe\n" + content.split(b"\n")[-2] + b"\n", name)
    assert [isinstance(item, InputError) for item in found[-2:]] == [True, False]
    assert "UTF-8" in str(found[-2])


@pytest.mark.parametrize(
    ("name", "content", "line", "pairs"),
    [
        ("jacana", '[{"id": "1", "source": "a", "target": "b", "sureAlign": ""},\n{"id": ', 2, 1),
        ("jacana", '[{"id": "1", "source": "a", "target": "b", "sureAlign": ""}\n', 1, 1),
        ("jacana", '{"id": "1"}', 1, 0),
        ("jacana", SMALL["jacana"] + "more", SMALL["jacana"].count("\n") + 1, 2),
        ("jacana", SMALL["jacana"] + "[]\n{}", SMALL["jacana"].count("\n") + 2, 2),
        ("rte", '<entailment-corpus>\n<pair id="1"><t>a</t><h>b</h></pair>\n<pair id="2"><t>a', 3, 1),
        ("rte", '<entailment-corpus>\n<pair id="1"><t>a</t><h>b</h></pair>\n', 2, 1),
        ("ists", SMALL["ists"] + '<sentence id="2">\n<source>\n1 a :\n', SMALL["ists"].count("\n") + 3, 1),
    ],
)
def test_a_document_that_breaks_off_yields_what_came_before(
    name: str, content: str, line: int, pairs: int, tmp_path: Path
) -> None:
    *before, last = read(tmp_path, content, name)
    assert len(good(before)) == pairs
    assert isinstance(last, InputError) and last.line == line


@pytest.mark.parametrize("name", ["jacana", "rte"])
def test_a_document_is_read_no_further_than_its_pairs_are_asked_for(name: str, tmp_path: Path) -> None:
    with InputLines(written(tmp_path / "file", SMALL[name].encode() + b"\xff\n")) as lines:
        items = FORMATS[name].read(lines, False)
        assert isinstance(next(items), SentencePair)
        assert lines.number < SMALL[name].count("\n") - 2
        second, last = items
    assert isinstance(second, SentencePair)
    assert isinstance(last, InputError) and "expected UTF-8" in str(last)
    assert last.line == SMALL[name].count("\n") + 1


@pytest.mark.parametrize("indent", [None, 0, 1])
def test_braces_inside_a_text_and_objects_inside_a_pair_are_read(indent: int | None, tmp_path: Path) -> None:
    pair = {"more": [{"a": {}}] * 3, "id": "}", "source": "} {", "target": "]},", "sureAlign": "1-0"}
    for found in good(read(tmp_path, json.dumps([pair, pair], indent=indent), name="x.json")):
        assert (found.source.words, found.target.words) == (("}", "{"), ("]},",))
        assert found.links == Links.of([(1, 0)])


def test_files_beside_a_gzipped_file_are_found_gzipped_or_not(tmp_path: Path) -> None:
    written(tmp_path / "x.sent1.chunk.txt", "[ He died . ] \n")
    written(tmp_path / "x.sent2.chunk.txt.gz", gzip.compress(b"[ He passed away . ] \n"))
    (pair,) = good(read(tmp_path, gzip.compress(SMALL["ists"].encode()), name="x.wa.gz"))
    assert (pair.source_chunks, pair.target_chunks) == (((0, 3),), ((0, 4),))
    written(tmp_path / "y.tsv.gz", gzip.compress(b"a\tb\n"))
    (pair,) = good(read(tmp_path, gzip.compress(b"0-0\n"), name="y.pharaoh.gz"))
    assert pair.links == Links.of([(0, 0)])


@pytest.mark.parametrize(
    ("text", "raw", "words"),
    [
        ("a <b>bold</b> caf\u00e9", "a bold caf\u00e9", ("a", "bold", "caf\u00e9")),
        (
            "\n  10\N{NO-BREAK SPACE}km \n\t away\n",
            "10\N{NO-BREAK SPACE}km away",
            ("10\N{NO-BREAK SPACE}km", "away"),
        ),
    ],
)
def test_markup_inside_a_text_is_left_out_and_blanks_of_xml_are_one_space(
    text: str, raw: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    content = (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<entailment-corpus>\n'
        f'<pair id="1"><t>{text}</t><h>x</h></pair>\n</entailment-corpus>\n'
    )
    (pair,), (split,) = good(read(tmp_path, content)), good(read(tmp_path, content, tokenized=True))
    assert (pair.source.text, split.source.words) == (raw, words)


@pytest.mark.parametrize("name", RAW)
def test_a_format_of_raw_text_gets_the_text_and_not_its_tokens(name: str, tmp_path: Path) -> None:
    texts = 'He can\'t "go" (now).', "Tom's  dog,\tit\nran."
    words = "He ca n't `` go '' -LRB- now -RRB- .", "Tom 's dog , it ran ."
    sides = [{"text": text, "tokens": tokens.split()} for text, tokens in zip(texts, words, strict=True)]
    pair = {"id": "1", "source": sides[0], "target": sides[1], "label": True, "score": 2.5, "words": []}
    write_pairs(read(tmp_path, json.dumps(pair)), tmp_path / "out", name)
    (back,) = good(read_pairs(tmp_path / "out", name))
    blanks = " " if name == "rte" else "  "
    assert (back.source.text, back.target.text) == (texts[0], f"Tom's{blanks}dog, it ran.")


@pytest.mark.parametrize("name", LINKED)
def test_a_format_of_tokens_gets_the_tokens_and_not_the_text(name: str, tmp_path: Path) -> None:
    side = {"text": "can't", "tokens": ["ca", "n't"]}
    pair = {"id": "1", "source": side, "target": side, "words": [[0, 0], [1, 1]]}
    write_pairs(read(tmp_path, json.dumps(pair)), tmp_path / "out.txt", name)
    (back,) = good(read_pairs(tmp_path / "out.txt", name))
    assert back.source.words == back.target.words == ("ca", "n't")


def test_our_own_output_is_read_with_all_that_is_in_it(tmp_path: Path) -> None:
    sentence = Sentence.from_words(["a", "b"])
    alignment = Alignment(sentence, sentence, Links.of([(0, 1)], scores=[0.5]), id="x", log_probability=-1.0)
    lines = f"{alignment.to_json()}\n{Alignment.failed('too long', id='y').to_json()}\n"
    first, second = good(read(tmp_path, lines))
    assert first.alignment is not None and first.alignment.to_dict() == alignment.to_dict()
    assert second.alignment is not None and second.alignment.error == "too long"


words = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=4),
    min_size=1,
    max_size=5,
)


@given(words, words, st.data())
def test_links_survive_every_format_that_holds_them(
    source: list[str], target: list[str], data: st.DataObject
) -> None:
    index = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    pairs = data.draw(st.lists(index, unique=True))
    sure = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    links = Links.of(pairs, sure=None if all(sure) else sure)
    pair = SentencePair("1", Sentence.from_words(source), Sentence.from_words(target), links)
    for name in ("jsonl", "jacana", "multimwa", "msr-rte"):
        writer = FORMATS[name].writer
        assert writer is not None
        text = writer.header + writer.pair(pair) + writer.footer
        (back,) = FORMATS[name].read(TextLines(text, "text"), True)
        assert isinstance(back, SentencePair), (name, back)
        found = back.source.words, back.target.words, back.links
        assert found == (tuple(source), tuple(target), links), name


@pytest.mark.parametrize(
    "content",
    [
        'n,Target,id,source\n1,He refused.,x,"He said, ""no""."\n2,No,,Yes\n',
        'n\tsource\ttarget\tid\n1\tHe said, "no".\tHe refused.\tx\n2\tYes\tNo\t\n',
    ],
)
def test_columns_of_a_table_are_told_by_its_header(content: str, tmp_path: Path) -> None:
    pairs = good(read(tmp_path, "\ufeff" + content.replace("\n", "\r\n"), name="pairs.csv"))
    expected = [('He said, "no".', "He refused.", "x"), ("Yes", "No", "2")]
    assert [(pair.source.text, pair.target.text, pair.id) for pair in pairs] == expected


@pytest.mark.parametrize("header", ["source,Source,target", "id,source,target,target", "id,source,target,ID"])
def test_a_table_with_two_columns_of_a_name_that_is_read_is_refused(header: str, tmp_path: Path) -> None:
    message = r"pairs.csv:1: expected one column '\w+' in the header, found several"
    with pytest.raises(InputError, match=message):
        read(tmp_path, f"{header}\na,b,c\n", name="pairs.csv")


def test_links_of_a_table_are_read_if_its_text_is_tokenized(tmp_path: Path) -> None:
    content = "source,target,Links\nHe died .,He passed away .,0-0 1?1 2-3\nYes,No,\nYes,No,0-1\nYes,No,x\n"
    first, second, *broken = read(tmp_path, content, name="pairs.csv", tokenized=True)
    assert isinstance(first, SentencePair) and first.links is not None
    assert first.links.to_pharaoh() == "0-0 1p1 2-3"
    assert isinstance(second, SentencePair) and second.links == Links.of([])
    assert [error.line for error in broken if isinstance(error, InputError)] == [4, 5]
    assert {pair.links for pair in good(read(tmp_path, content, name="pairs.csv"))} == {None}


def refusal(items: Any) -> str:
    """The message about a file, or about its only pair."""
    try:
        (found,) = items
    except InputError as error:
        found = error
    assert isinstance(found, InputError)
    return str(found)


#: One pair, told by the names of its columns or fields, in each of the formats that have them.
NAMED = {
    "x.csv": "n,{0},{1},label\n1,He died,He left,1\n",
    "y.csv": 'n;{0};{1};label\n1;"He died";He left;1\n',
    "x.jsonl": '{{"n": 1, "{0}": "He died", "{1}": "He left", "label": 1}}\n',
    "x.json": '[{{"n": 1, "{0}": "He died", "{1}": "He left", "label": true}}]\n',
}


@pytest.mark.parametrize("name", NAMED)
def test_every_format_with_names_knows_the_same_names_of_columns(name: str, tmp_path: Path) -> None:
    for names in (*COLUMN_NAMES, ("Old text", "new")):
        path = written(tmp_path / name, NAMED[name].format(*names))
        if names not in COLUMN_NAMES:
            assert "found 'n', 'Old text', 'new', 'label'" in refusal(read_pairs(path))
        (found,) = good(read_pairs(path, columns=None if names in COLUMN_NAMES else names))  # type: ignore[arg-type]
        assert (found.source.text, found.target.text, found.label) == ("He died", "He left", True), names
        message = refusal(read_pairs(path, columns=("nowhere", "new")))
        assert f"'nowhere' and 'new', found 'n', '{names[0]}'" in message


def test_columns_are_refused_for_a_format_without_names(tmp_path: Path) -> None:
    message = "format tsv has no columns with names; jsonl, jacana, table, parquet"
    with pytest.raises(InputError, match=message):
        read(tmp_path, "a b\tc d\n", "tsv", columns=("a", "b"))


@pytest.mark.parametrize(
    ("header", "order"),
    [
        ("Complex\tSimple", (0, 1)),
        ("pair_ID\tsentence_B\tsentence_A", (2, 1)),
        ("premise\thypothesis\tlabel", (0, 1)),
        ("label\tTEXT 1\ttext-2", (1, 2)),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_header_line_of_known_names_is_no_pair_and_a_warning_says_so(
    header: str, order: tuple[int, int], line_end: str, tmp_path: Path
) -> None:
    row = ["p7", "He died .", "He left us ."][-len(header.split("\t")) :]
    content = f"{header}{line_end}{chr(9).join(row)}{line_end}"
    message = r"pairs.tsv:1: taken for a header .* --from tsv takes it for a pair"
    with pytest.warns(InputWarning, match=message):
        (found,) = good(read(tmp_path, content, name="pairs.tsv"))
    assert (found.source.text, found.target.text) == tuple(row[place] for place in order)
    assert found.id == ("p7" if header.startswith("pair") else "1")
    first, _ = good(read(tmp_path, content, "tsv"))
    assert first.source.text == header.split("\t")[0]


def test_bars_and_links_with_question_marks_are_read(tmp_path: Path) -> None:
    (found,) = good(read(tmp_path, "He died . ||| He left .\n"))
    assert (found.source.text, found.target.text) == ("He died .", "He left .")
    (found,) = good(pharaoh(tmp_path, "He died\tHe left\n", "0-0 1?1\n"))
    assert found.links == Links.of([(0, 0), (1, 1)], sure=[True, False])


def test_m2_gives_the_corrected_sentence_of_each_annotator(tmp_path: Path) -> None:
    end = "|||REQUIRED|||-NONE-|||"
    content = (
        f"S He go home at\nA 1 2|||R:VERB|||goes{end}0\nA 3 4|||U:PREP|||{end}0\n"
        f"A 0 0|||M:ADV|||Then ,{end}1\nA 0 1|||R:OTHER|||she{end}1\n\n"
        f"S Fine .\nA -1 -1|||noop|||-NONE-{end}0\n\nS No .\n"
    )
    assert [(pair.id, " ".join(pair.target.words)) for pair in good(read(tmp_path, content))] == [
        *(("1.0", "He goes home"), ("1.1", "Then , she go home at"), ("2", "Fine ."), ("3", "No .")),
    ]


SSD_HEADER = "premise\thypothesis\tspan_similarity\tsentence_similarity\n"


def test_marked_spans_are_offsets_of_the_text_without_braces(tmp_path: Path) -> None:
    pair, _ = good(read(tmp_path, SMALL["ssd"]))
    assert (pair.source.text, pair.target.text) == ("He died in May.", "He passed away in June.")
    assert pair.label is False and pair.marked is not None
    found = [
        (pair.source.text[slice(*m.source)], pair.target.text[slice(*m.target)], m.same) for m in pair.marked
    ]
    assert found == [("died", "passed away", True), ("May", "June", False)]
    with pytest.raises(InputError, match="pair '2' has spans that are not in order"):
        write_pairs([replace(pair, marked=pair.marked[::-1])], tmp_path / "x.tsv", "ssd")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{{a}} b\t{{c}}\t1,1\t1", "as many spans on both sides as labels, found 1 and 1 spans and 2"),
        ("{{a}} b\tc\t1\t1", "found 1 and 0 spans and 1 labels"),
        ("{{a}}\t{{c}}\tyes\t1", "expected 0 or 1 for each span and for the pair"),
        ("{{a}}\t{{c}}\t1", "expected 4 columns"),
        ("{{}} a\t{{c}}\t1\t1", "found 0 and 1 spans and 1 labels"),
        ("\tc\t\t1", "expected a sentence, found nothing"),
    ],
)
def test_a_broken_line_of_marked_spans_is_named(line: str, message: str, tmp_path: Path) -> None:
    broken, pair = read(tmp_path, f"{SSD_HEADER}{line}\n{{{{a}}}}\t{{{{b}}}}\t0\t0\n")
    assert isinstance(broken, InputError) and message in str(broken) and broken.line == 2
    assert isinstance(pair, SentencePair) and pair.id == "3"


@pytest.mark.parametrize(
    ("unit", "field"),
    [
        ('{"type": "x", "source": [0], "target": [1]}', "phrases[0].target"),
        ('{"type": 1, "source": [0], "target": [0]}', "phrases[0].type"),
        ('{"type": "x", "source": [0], "target": [0], "sense_preserving": 1}', "phrases[0].sense_preserving"),
    ],
)
def test_a_phrase_of_people_lies_in_its_sentences(unit: str, field: str, tmp_path: Path) -> None:
    (broken,) = read(tmp_path, f'{{"source": ["a"], "target": ["b"], "phrases": [{unit}]}}\n')
    assert isinstance(broken, InputError) and broken.field == field
    assert broken.source == "a"  # type: ignore[attr-defined]
