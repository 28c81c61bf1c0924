from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align.cli import main

from ...command_line import CommandLine, written

GOLD = json.dumps(
    [
        {"id": "x", "source": "a b", "target": "c d", "sureAlign": "0-0 1-1", "possibleAlign": "0-1"},
        {"id": "y", "source": "e", "target": "f", "sureAlign": ""},
    ]
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = written(tmp_path / "gold.json", GOLD)
    return path


def test_there_and_back_again_is_the_same(gold: Path, tmp_path: Path) -> None:
    names = ["1.jsonl", "2.mwa", "3.rte", "4.pharaoh", "5.json"]
    formats = ["jsonl", "multimwa", "msr-rte", "pharaoh", "jacana"]
    before = gold
    for name, target in zip(names, formats, strict=True):
        assert main(["convert", str(before), str(tmp_path / name), "--to", target]) == 0
        before = tmp_path / name
    back = json.loads(before.read_text())
    assert [pair["sureAlign"] for pair in back] == ["0-0 1-1", ""]
    assert [pair["possibleAlign"] for pair in back] == ["0-1", ""]
    assert [pair["id"] for pair in back] == ["x", "y"]


def test_the_majority_of_three_annotators(tmp_path: Path) -> None:
    for name, cell in (("A", "1 p2"), ("B", "1"), ("C", "2")):
        (tmp_path / name).write_text(f"# sentence pair 1\na b\nNULL ({{ / / }}) c ({{ {cell} / / }})\n")
    others = [str(tmp_path / "B"), str(tmp_path / "C")]
    assert main(["convert", str(tmp_path / "A"), str(tmp_path / "out.json"), "--majority", *others]) == 0
    (pair,) = json.loads((tmp_path / "out.json").read_text())
    assert (pair["sureAlign"], pair["possibleAlign"]) == ("0-0", "")


@pytest.mark.parametrize(
    ("output", "options", "message"),
    [
        ("out.xyz", [], "--to"),
        ("out.jsonl.gz", [], "output is not compressed"),
        ("gold.json", [], "overwrite the input"),
        ("out.tsv", ["--to", "pharaoh"], "another extension"),
    ],
)
def test_what_cannot_be_done_is_refused(
    output: str, options: list[str], message: str, gold: Path, cli: CommandLine
) -> None:
    assert cli("convert", gold, gold.with_name(output), *options) == 2 and message in cli.err
    assert gold.read_text() == GOLD


@pytest.mark.parametrize(
    ("name", "links", "options"),
    [
        ("x.pharaoh", "0-0\n0-0 1-1\n", []),
        ("x.align", "\n\n", []),
        ("x.txt", "0-0\n0-0 1-1\n", ["--from", "pharaoh"]),
    ],
)
def test_the_sentences_of_links_are_part_of_the_input_and_not_overwritten(
    name: str, links: str, options: list[str], tmp_path: Path, cli: CommandLine
) -> None:
    path, sentences = tmp_path / name, tmp_path / "x.tsv"
    path.write_text(links)
    sentences.write_text("a\tb\nc d\te f\n")
    assert cli("convert", path, sentences, *options) == 2
    message = f"{sentences}: the output would overwrite the sentences of {path}"
    assert message in cli.err
    assert sentences.read_text() == "a\tb\nc d\te f\n"
    assert cli("convert", path, tmp_path / "y.tsv", *options) == 0


def test_a_folder_of_pairs_has_no_sentences_beside_it(tmp_path: Path, cli: CommandLine) -> None:
    folder, out = tmp_path / "folder", tmp_path / "folder.tsv"
    folder.mkdir()
    out.write_text("older")
    assert cli("convert", folder, out) == 2
    assert "expected s-NAME.xml and t-NAME.xml files in the folder" in cli.err
    assert out.read_text() == "older"


def test_pairs_that_lack_what_the_format_needs_are_left_out_and_named(
    tmp_path: Path, cli: CommandLine
) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out.json"
    without = {"id": "without", "source": {"tokens": ["a"]}, "target": {"tokens": ["b"]}}
    lines = [without, {**without, "id": "with", "words": [[0, 0]]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli("convert", path, out) == 1 and f"{path}:1: pair 'without' has no word links" in cli.err
    assert [pair["id"] for pair in json.loads(out.read_text())] == ["with"]


def test_the_majority_can_be_put_on_the_tokens_of_another_file(tmp_path: Path, cli: CommandLine) -> None:
    for name in "ABC":
        (tmp_path / name).write_text("# sentence pair x\na b.\nNULL ({ / / }) c ({ 2 / / })\n")
    published = [{"id": "x", "source": "a b .", "target": "c", "sureAlign": ""}]
    (tmp_path / "published.json").write_text(json.dumps(published))
    files = [str(tmp_path / name) for name in "ABC"]
    tokens = ["--tokens-of", str(tmp_path / "published.json")]
    out = tmp_path / "out.json"
    assert cli("convert", files[0], out, "--majority", *files[1:], *tokens) == 0
    (pair,) = json.loads(out.read_text())
    assert (pair["source"], pair["sureAlign"]) == ("a b .", "1-0")
    assert cli("convert", files[0], out, *tokens) == 2 and "--tokens-of goes with --majority" in cli.err


def test_a_header_line_is_told_on_stderr_with_what_prevents_it(tmp_path: Path, cli: CommandLine) -> None:
    pairs = written(tmp_path / "pairs.tsv", "complex\tsimple\nHe passed away.\tHe died.\n")
    assert cli("convert", pairs, "-", "--to", "tsv") == 0 and cli.out == "He passed away.\tHe died.\t1\n"
    assert cli.err == (
        f"forest-align convert: warning: {pairs}:1: taken for a header line that calls the source 'complex' "
        "and the target 'simple'; --from tsv takes it for a pair\n"
    )
    assert cli("convert", pairs, "-", "--to", "tsv", "--from", "tsv") == 0
    assert (len(cli.out.splitlines()), cli.err) == (2, "")


def test_a_file_beside_the_output_is_not_overwritten_unless_the_output_is(
    tmp_path: Path, cli: CommandLine
) -> None:
    gold, out, sentences = tmp_path / "gold.jsonl", tmp_path / "out.pharaoh", tmp_path / "out.tsv"
    pair = {"source": {"tokens": ["a"]}, "target": {"tokens": ["a"]}, "words": [[0, 0]]}
    gold.write_text(json.dumps(pair) + "\n", encoding="utf-8")
    sentences.write_text("precious\tpair\n", encoding="utf-8")
    assert cli("convert", gold, out) == 2
    assert f"{sentences}: the sentences of {out} would overwrite it" in cli.err
    assert sentences.read_text(encoding="utf-8") == "precious\tpair\n" and not out.exists()
    sentences.unlink()
    for _ in range(2):
        assert cli("convert", gold, out) == 0
    assert sentences.read_text(encoding="utf-8") == "a\ta\t1\n"


def test_a_pair_that_could_not_be_aligned_is_left_out_where_its_error_cannot_be_held(
    tmp_path: Path, cli: CommandLine
) -> None:
    path = tmp_path / "in.jsonl"
    sides = {"source": {"tokens": ["a"]}, "target": {"tokens": ["b"]}, "version": 1, "phrases": []}
    lines = [
        {"id": "good", **sides, "words": [[0, 0]]},
        {"id": "bad", **sides, "words": [], "error": "too long"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli("convert", path, tmp_path / "out.json") == 1
    assert [pair["id"] for pair in json.loads((tmp_path / "out.json").read_text())] == ["good"]
    assert f"left out: {path}:2: pair 'bad' could not be aligned: too long" in cli.err
    assert cli("convert", path, tmp_path / "out.jsonl") == 0
    assert '"error": "too long"' in (tmp_path / "out.jsonl").read_text()
    assert cli.err == ""
    assert cli("convert", path, "-", "--to", "tsv") == 0 and cli.out == "a\tb\tgood\na\tb\tbad\n"
    assert cli.err == "forest-align convert: warning: format tsv cannot hold: error, links, phrases\n"


WORDS = {"source": {"tokens": ["a"]}, "target": {"tokens": ["b"]}}


@pytest.mark.parametrize(
    ("values", "target", "lost"),
    [
        ({"id": "1", "words": [[0, 0]], "word_probabilities": [0.5]}, "jacana", "link probabilities"),
        ({"id": "1", "words": [], "source": {"tokens": ["a"], "tags": ["NN"]}}, "multimwa", "tags"),
        ({"id": "1", "words": [], "target": {"tokens": ["b"], "lemmas": ["b"]}}, "pharaoh", "lemmas"),
        ({"id": "1", "chunks": [], "source_chunks": [[0, 1]]}, "ists", "spans of all chunks"),
        (
            {"id": "1", "source": {"trees": [["(X a)", 0], ["(Y a)", -1]]}, "target": {"tree": "(X b)"}},
            "trees",
            "trees but the best",
        ),
        ({"id": "x", "score": 1}, "sts", "some ids"),
        ({"id": "1", "score": 1}, "sts", ""),
        ({"id": "1", "label": True}, "qa", "some ids"),
        ({"id": "1.1", "label": True}, "qa", ""),
        ({"id": "7.3", "label": True}, "qa", "some ids"),
        ({"id": "1.1", "label": True, "group": "g"}, "qa", "group"),
        ({"id": "1.1", "label": True, "group": "a"}, "qa", ""),
        ({"id": "8", "label": True}, "msrp", "some ids"),
        ({"id": "8-9", "label": True}, "msrp", ""),
        ({"id": "x y", "words": []}, "msr-rte", "some ids"),
        ({"id": "x", "words": []}, "msr-rte", ""),
        ({"id": "x\ty"}, "tsv", "some ids"),
        ({"id": "x y"}, "tsv", ""),
        ({"id": 'x"', "chunks": []}, "ists", "some ids"),
    ],
)
def test_each_kind_of_loss_is_said_once(
    values: dict[str, object], target: str, lost: str, tmp_path: Path, cli: CommandLine
) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out.txt"
    path.write_text(json.dumps({**WORDS, **values}) + "\n")
    assert cli("convert", path, out, "--to", target) == 0
    warning = f"forest-align convert: warning: format {target} cannot hold: {lost}\n" if lost else ""
    assert cli.err == warning


def test_ids_that_readers_give_anew_are_lost_only_where_they_differ(tmp_path: Path, cli: CommandLine) -> None:
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("qtext,label,atext\nWho ?,1,He\nWho ?,0,She\nWhen ?,0,Now\nWho ?,0,They\n")
    assert cli("convert", path, out, "--to", "qa") == 0
    assert (out.read_text(), cli.err) == (path.read_text(), "")
    path.write_text(path.read_text().replace("1,He", "maybe,He"))
    assert cli("convert", path, out, "--to", "qa") == 1
    last = cli.err.splitlines()[-1]
    assert last == "forest-align convert: warning: format qa cannot hold: some ids"
