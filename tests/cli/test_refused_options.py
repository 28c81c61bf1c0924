"""Options that do not go together, have no effect, or name what is not there: a message, and no output."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from forest_align.cli import main

SHARDS = [
    ("align pairs.tsv --shard 1/2", "--shard needs -o FOLDER"),
    ("align pairs.tsv --shard 0/2 -o out", "expected I/N with I from 1 to N"),
    ("align pairs.tsv --shard 1/2 --to csv -o out", "--shard takes no --to csv"),
    ("align pairs.tsv --shard 1/2 --resume -o out", "--shard takes no --resume"),
    ("align pairs.tsv --shard 1/2 -o pairs.tsv", "would overwrite the input"),
    ("parse pairs.tsv --shard 1/2 --to nbest -o out", "takes no --to nbest"),
    ("extract pairs.tsv --shard 1/2 --to tsv -o out", "--shard takes no --to"),
    ("extract pairs.tsv --shard 1/2 --min-count 2 -o out", "takes no --min-count"),
    ("extract pairs.tsv --shard 1/2", "--shard needs -o FOLDER"),
]
ENGINES = [
    ("extract lines.jsonl --engine ray", "--engine needs -o FOLDER"),
    ("extract lines.jsonl --engine ray -o out --to tsv", "--engine takes no --to: 'forest-align join'"),
    ("extract lines.jsonl --engine ray -o out --resume", "--engine takes no --resume"),
    ("extract lines.jsonl - --engine ray -o out", "--engine reads files, not standard input"),
    ("extract lines.jsonl missing.jsonl --engine ray -o out", "missing.jsonl"),
    ("align pairs.tsv --engine ray", "--engine needs -o FOLDER"),
    ("align pairs.tsv --engine ray -o out --resume", "--engine takes no --resume"),
    ("align pairs.tsv --engine ray -o out --shard 1/2", "--engine takes no --shard"),
    ("align pairs.tsv --engine ray -o out --workers 2", "--engine takes no --workers"),
    ("align pairs.tsv --engine ray -o out --to html", "--engine takes no --to html"),
    ("align pairs.tsv --engine ray -o out --to parquet -k 2", "--to parquet takes no -k"),
    ("align pairs.tsv --engine ray -o out --device auto", "--engine takes no --device auto"),
    ("align pairs.tsv --engine ray -o out --gpus-per-actor 1", "--gpus-per-actor needs --device cuda"),
    ("align pairs.tsv --engine ray -o out --gpus-per-actor 0", "expected a number above 0, found '0'"),
    ("align pairs.tsv --engine ray -o out --chunks --device cuda", "--chunks takes no --device"),
    ("align pairs.tsv --engine ray -o out --words links.pharaoh", "--engine takes no file of --words"),
    ("align pairs.tsv --num-actors 2", "--num-actors needs --engine ray"),
    ("align pairs.tsv --address auto", "--address needs --engine ray"),
    ("align pairs.tsv --gpus-per-actor 1", "--gpus-per-actor needs --engine ray"),
    ("align pairs.tsv --part-size 9", "--part-size, need --engine ray"),
]
DEVICES = [
    ("align pairs.tsv -o out --device cuda", "there is no device 'cuda': torch finds 0 GPUs here"),
    ("align pairs.tsv -o out --device gpu", "expected cpu, cuda, cuda:N or auto, found 'gpu'"),
    ("align pairs.tsv -o out --chunks --device cuda", "--chunks takes no --device"),
    ("parse pairs.tsv -o out --from text --device cuda:1", "there is no device 'cuda:1'"),
    ("parse trees.mrg -o out --device cuda", "--device is for text, and trees.mrg has trees"),
]
ALIGNERS = [
    ("align pairs.tsv --chunks --aligner forest", "--chunks takes no --aligner"),
    ("align pairs.tsv --chunks --words dictionary", "--chunks takes no --words"),
    ("align pairs.tsv --chunks --explain", "--chunks takes no --explain"),
    ("align pairs.tsv --chunks -k 2", "--chunks takes no -k"),
    ("align pairs.tsv --chunks --model nowhere", "no model in 'nowhere'"),
    ("align pairs.tsv --to ists", "--to ists needs --chunks"),
    ("align pairs.tsv --aligner joint --annotator trees", "takes no --annotator"),
    ("align pairs.tsv --aligner joint --words dictionary", "takes no --words"),
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
    ("align pairs.tsv --to pharaoh -k 2", "--to pharaoh takes no -k"),
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
