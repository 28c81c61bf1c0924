"""Count the small cases of commands that are right, by kind.

A case has a command, its input and what is expected, in words or values. Kinds are checked as the table
``CHECKS`` says; others are skipped and named.

Examples
--------
python benchmarks/quality/command_cases.py ../shared/cases/commands.jsonl --list
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

from forest_align.cli import main as forest_align
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokenize

Case = Mapping[str, Any]
_FORM_ONLY = ("function word", "inflection")
_LEAST_DIFFERENCE = 0.5


def output(*arguments: str) -> str:
    """What a command prints; with its errors if it fails."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        status = forest_align(list(arguments))
    return out.getvalue() + (errors.getvalue() if status else "")


def file_output(command: str, name: str, content: str, *options: str) -> str:
    """What a command prints for a file of this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(content, encoding="utf-8")
        return output(command, str(path), *options)


def files_output(command: str, texts: Sequence[Sequence[str]], *options: str) -> dict[str, Any]:
    """The JSON of a command for two files with one sentence a line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{side}.txt" for side in range(len(texts))]
        for path, lines in zip(paths, texts, strict=True):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        values: dict[str, Any] = json.loads(output(command, *map(str, paths), "--to", "jsonl", *options))
        return values


def pair_output(case: Case, command: str, to: str) -> Any:
    """The JSON of a command for the pair of a case."""
    return json.loads(output(command, case["input"]["source"], case["input"]["target"], "--to", to))


def reasons(case: Case) -> list[str]:
    """The reasons of the edits of a case."""
    return [edit["reason"] for edit in pair_output(case, "edits", "jsonl")["edits"] if edit.get("reason")]


def has_negation(case: Case) -> bool:
    """Whether some reason says more than that forms changed."""
    return bool(set(reasons(case)).difference(_FORM_ONLY))


def has_number(case: Case) -> bool:
    """Whether numbers are found to differ."""
    return "number" in reasons(case)


def has_no_number(case: Case) -> bool:
    """Whether no numbers are found to differ."""
    return "number" not in reasons(case)


def cuts_as_javascript(case: Case) -> bool:
    """Whether the spans of thresh, cut in UTF-16 units, lie at the edges of words."""
    (entry,) = pair_output(case, "edits", "thresh")
    words = {*entry["source"].rstrip(".").split(), *entry["target"].rstrip(".").split()}
    for edit in entry["edits"]:
        for field, text in (("input_idx", entry["source"]), ("output_idx", entry["target"])):
            units = text.encode("utf-16-le")
            for start, end in edit.get(field, ()):
                if not set(units[2 * start : 2 * end].decode("utf-16-le", "replace").split()) <= words:
                    return False
    return True


def has_links(case: Case) -> bool:
    """Whether sentences are linked as expected."""
    sides = case["input"]["source"], case["input"]["target"]
    groups = files_output("documents", sides, "--sentences-only", "--lines")["groups"]
    links = [[i, j] for group in groups for i in group["source"] for j in group["target"]]
    expected = case["expected"]
    return all(link in links for link in expected["must_have"]) and not any(
        link in links for link in expected["must_not_have"]
    )


def has_sentences(case: Case) -> bool:
    """Whether a text has as many sentences as expected."""
    text = case["input"]["text"]
    found: int = 1 + len(sentence_starts(tokenize(text), text))
    return found == case["expected"]["sentences"]


def differs(case: Case) -> bool:
    """Whether a span differs, or none does for a control."""
    spans = pair_output(case, "differences", "jsonl")["spans"]
    found = any(span["difference"] >= _LEAST_DIFFERENCE for span in spans)
    return found != (case["expected"] == "no span")


def is_supported(case: Case) -> bool:
    """Whether a span of the summary is supported or not, as expected: ``'Room 12': unsupported``."""
    text, _, expected = case["expected"].rpartition(": ")
    words = set(text.strip("'\"").split())
    spans = files_output("support", [[case["input"]["summary"]], [case["input"]["source"]]])["spans"]
    inside = [span["supported"] for span in spans if words.intersection(span["text"].split())]
    return all(inside) if expected == "supported" else not all(inside)


def is_aligned(case: Case) -> bool:
    """Whether the pairs of a file are aligned."""
    given = case["input"]
    if given == "the file of: edits --to thresh -o e.json":
        given = output("edits", "He died.", "He left.", "--to", "thresh")
    name, text = ("a.json", given) if isinstance(given, str) else ("a.jsonl", json.dumps(given))
    lines = file_output("align", name, text, "--to", "jsonl").splitlines()
    return bool(lines) and all(line[0] == "{" and "error" not in json.loads(line) for line in lines)


def keeps_words(case: Case) -> bool:
    """Whether all words of a tree come out, or an error."""
    tree = case["input"]["tree"]
    words = tree.replace("(", " ( ").replace(")", " ) ").split()
    # Traces have no words.
    leaves = [word for word, after in pairwise(words) if after == ")" and word[0] not in "()*"]
    found = file_output("parse", "a.txt", tree + "\n", "--from", "trees", "--to", "trees")
    return "error" in found or all(f"{word})" in found for word in leaves)


CHECKS: dict[str, Callable[[Case], bool]] = {
    "edits-reason-negation": has_negation,
    "edits-reason-number-changed": has_number,
    "edits-reason-number-same": has_no_number,
    "thresh-utf16-offsets": cuts_as_javascript,
    "documents": has_links,
    "sentence-split": has_sentences,
    "differences": differs,
    "support": is_supported,
    "json": is_aligned,
    "tree-words-lost": keeps_words,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table with a row for each kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="the cases, JSON lines")
    parser.add_argument("--kind", default="", help="only kinds that begin so")
    parser.add_argument("--list", action="store_true", help="list the cases that are wrong")
    options = parser.parse_args(arguments)
    right: Counter[tuple[str, str]] = Counter()
    count: Counter[tuple[str, str]] = Counter()
    for line in options.file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        check = next((check for kind, check in CHECKS.items() if case["kind"].startswith(kind)), None)
        if not case["kind"].startswith(options.kind):
            continue
        if check is None:
            print(f"skipped: {case['kind']}")
            continue
        is_right = check(case)
        group = "debatable" if case.get("debatable") else "controls" if case["control"] else "cases"
        right[case["kind"], group] += is_right
        count[case["kind"], group] += 1
        if options.list and not is_right:
            print(f"- {case['kind']}: {json.dumps(case['input'], ensure_ascii=False)}")
    groups = ("cases", "controls", "debatable")
    print("| kind | " + " | ".join(groups) + " |\n" + "|---" * 4 + "|")
    for kind in sorted({kind for kind, _ in count}):
        cells = (
            f"{right[kind, group]}/{count[kind, group]}" if count[kind, group] else "" for group in groups
        )
        print(f"| {kind} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
