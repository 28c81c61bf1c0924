"""Options that do not go together, have no effect, or name what is not there: a message, and no output."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from forest_align.cli import main

SHARDS = [
    ("align pairs.tsv --shard 1/2", "--shard needs -o FOLDER"),
    ("align pairs.tsv --shard 0/2 -o out", "expected I/N with I from 1 to N"),
    ("align pairs.tsv --shard 1/2 --to csv -o out", "--to csv cannot be combined with --shard"),
    ("align pairs.tsv --shard 1/2 --resume -o out", "--resume cannot be combined with --shard"),
    ("align pairs.tsv --shard 1/2 -o pairs.tsv", "would overwrite the input"),
    ("parse pairs.tsv --shard 1/2 --to nbest -o out", "--to nbest cannot be combined"),
    ("extract pairs.tsv --shard 1/2 --to tsv -o out", "--to cannot be combined with --shard"),
    ("extract pairs.tsv --shard 1/2 --min-count 2 -o out", "--min-count cannot be combined"),
    ("extract pairs.tsv --shard 1/2", "--shard needs -o FOLDER"),
]
ENGINES = [
    ("extract lines.jsonl --engine ray", "--engine needs -o FOLDER"),
    (
        "extract lines.jsonl --engine ray -o out --to tsv",
        "--to cannot be combined with --engine: 'forest-align join'",
    ),
    ("extract lines.jsonl --engine ray -o out --resume", "--resume cannot be combined with --engine"),
    ("extract lines.jsonl - --engine ray -o out", "--engine reads files, not standard input"),
    ("extract lines.jsonl missing.jsonl --engine ray -o out", "missing.jsonl"),
    ("align pairs.tsv --engine ray", "--engine needs -o FOLDER"),
    ("align pairs.tsv --engine ray -o out --resume", "--resume cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --shard 1/2", "--shard cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --workers 2", "--workers cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --to html", "--to html cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --to parquet -k 2", "-k cannot be combined with --to parquet"),
    ("align pairs.tsv --engine ray -o out --device auto", "--device auto cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --gpus-per-actor 1", "--gpus-per-actor needs --device cuda"),
    ("align pairs.tsv --engine ray -o out --gpus-per-actor 0", "expected a number above 0, found '0'"),
    (
        "align pairs.tsv --engine ray -o out --chunks --device cuda",
        "--device cannot be combined with --chunks",
    ),
    (
        "align pairs.tsv --engine ray -o out --words links.pharaoh",
        "a file of --words cannot be combined with --engine",
    ),
    ("align pairs.tsv --num-actors 2", "--num-actors needs --engine ray"),
    ("align pairs.tsv --address auto", "--address needs --engine ray"),
    ("align pairs.tsv --gpus-per-actor 1", "--gpus-per-actor needs --engine ray"),
    ("align pairs.tsv --part-size 9", "--part-size, need --engine ray"),
]
DEVICES = [
    ("align pairs.tsv -o out --device cuda", "there is no device 'cuda': torch finds 0 GPUs here"),
    ("align pairs.tsv -o out --device gpu", "expected cpu, cuda, cuda:N or auto, found 'gpu'"),
    ("align pairs.tsv -o out --chunks --device cuda", "--device cannot be combined with --chunks"),
    ("parse pairs.tsv -o out --from text --device cuda:1", "there is no device 'cuda:1'"),
    ("parse trees.mrg -o out --device cuda", "--device is for text, and trees.mrg has trees"),
]
ALIGNERS = [
    ("align pairs.tsv --chunks --aligner forest", "--aligner cannot be combined with --chunks"),
    ("align pairs.tsv --chunks --words dictionary", "--words cannot be combined with --chunks"),
    ("align pairs.tsv --chunks --explain", "--explain cannot be combined with --chunks"),
    ("align pairs.tsv --chunks -k 2", "-k cannot be combined with --chunks"),
    ("align pairs.tsv --chunks --model nowhere", "no model in 'nowhere'"),
    ("align pairs.tsv --to ists", "--to ists needs --chunks"),
    ("align pairs.tsv --aligner joint --annotator trees", "does not support --annotator"),
    ("align pairs.tsv --aligner joint --words dictionary", "does not support --words"),
    ("train nonsense", "expected one of forest, semi-markov, joint, found 'nonsense'"),
]
SERVICE = [
    ("serve --port 65536", "--port"),
    ("serve --workers 0", "--workers"),
    ("serve --workers two", "--workers"),
    ("serve --timeout -1", "--timeout"),
    ("serve --timeout 0", "--timeout"),
    ("serve --port 0 --beside other.jsonl", "--beside needs ALIGNMENTS"),
]
OUTPUTS = [
    ("align pairs.tsv --to pharaoh -k 2", "-k cannot be combined with --to pharaoh"),
    ("align pairs.tsv --to jsonl --all", "--all is for --to text"),
    ("align pairs.tsv --to jsonl --simple", "--simple is for pictures: -o OUT.svg"),
    ("align pairs.tsv --resume", "--resume needs -o"),
    ("align pairs.tsv --resume -o out --to text", "--resume needs -o"),
    ("align pairs.tsv --resume -o out --to html", "--resume needs -o"),
    ("align pairs.tsv --resume -o out.html", "--resume needs -o"),
]
INPUTS = [
    ("align pairs.tsv a", "'paste ONE OTHER' makes pairs of two files"),
    ("align a pairs.tsv", "'paste ONE OTHER' makes pairs of two files"),
    ("align a b --from tsv", "--from is for files"),
    ("align pairs.tsv --words unoin", "contextual, dictionary"),
    ("align pairs.tsv --words union", "word candidates 'union' are gone: use contextual or dictionary"),
    ("align pairs.tsv --variant published", "--variant is gone: use --aligner sultan / --aligner forest-pub"),
    ("tune pairs.tsv -o out --variant", "--variant is gone: use --aligner sultan / --aligner forest-pub"),
]


REFUSED = [*SHARDS, *ENGINES, *DEVICES, *ALIGNERS, *SERVICE, *OUTPUTS, *INPUTS]


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_what_a_command_cannot_do_is_refused_before_anything_is_written(
    command: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    contents = {"pairs.tsv": "The cat sat.\tA cat sat.\n", "lines.jsonl": "", "trees.mrg": "(S (NN cats))\n"}
    for name, content in contents.items():
        Path(name).write_text(content)
    try:
        status = main(command.split())
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capsys.readouterr()
    assert status == 2 and message in captured.err and not captured.out
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == contents
