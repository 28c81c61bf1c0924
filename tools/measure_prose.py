"""Measure how long the sentences of Markdown pages are.

Code, tables, headings, link targets and emphasized words at the start of an item do not count as prose. A
sentence ends at the end of a paragraph or list item. It also ends at a stop that a capital, a digit, a
bracket or code follows.

    python tools/measure_prose.py README.md docs [--list 10]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

FENCE = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"^ *(?:[-*+]|\d+[.)]) +")
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]*`")
LEAD = re.compile(r"^(\*{1,2})[^*]+[.:]\1 *")
TAG = re.compile(r"<[^>]+>")
ABBREVIATION = re.compile(r"(?:\b(?:et al|e\.g|i\.e|cf|vs|Mr|Dr|[A-Z])|…)$")
END = re.compile(r"[.!?…][*)\]\"'”’]*(?= +[*(\[\"'“‘]*[A-Z0-9`])")
WORD = re.compile(r"\w")

#: Sentences with more words than this are long, or very long.
LONG, VERY_LONG = 25, 40


def paragraphs(markdown: str) -> Iterator[str]:
    """The prose of a page, each paragraph or item of a list on one line."""
    lines: list[str] = []
    after_blank = True
    for line in [*FENCE.sub("", markdown).split("\n"), ""]:
        skipped = line.startswith(("#", "|", "<!--")) or (line.startswith("    ") and after_blank)
        if not line.strip() or skipped or ITEM.match(line):
            if lines:
                yield " ".join(lines)
            lines = []
        if line.strip() and not skipped:
            lines.append(ITEM.sub("", line).strip())
        # An indented code block continues on the lines below.
        after_blank = not line.strip() or (skipped and after_blank)


def sentences(markdown: str) -> Iterator[str]:
    """The sentences of a page, in order, with the text of code and links."""
    for paragraph in paragraphs(markdown):
        text = TAG.sub("", LINK.sub(r"\1", IMAGE.sub("", paragraph)))
        text = LEAD.sub("", text)
        # A stop inside code does not end a sentence.
        searched = CODE.sub(lambda code: "`" * len(code[0]), text)
        start = 0
        for end in END.finditer(searched):
            if not ABBREVIATION.search(searched[: end.start()]):
                yield text[start : end.end()].strip()
                start = end.end()
        if text[start:].strip():
            yield text[start:].strip()


def length(sentence: str) -> int:
    """Number of words: strings between blanks that are not only punctuation; code is one word."""
    return sum(bool(WORD.search(word)) for word in CODE.sub("code", sentence).split())


def row(name: str, lengths: Sequence[int]) -> str:
    """One line of the table: sentences, mean words, and the shares of long sentences in percent."""
    count = max(len(lengths), 1)
    shares = [100 * sum(words > bound for words in lengths) / count for bound in (LONG, VERY_LONG)]
    return f"{name:<40} {len(lengths):>9} {sum(lengths) / count:>6.1f} {shares[0]:>6.1f} {shares[1]:>6.1f}"


def pages(paths: Sequence[Path]) -> list[Path]:
    """The files among the paths, and the Markdown files in the folders among them."""
    return [page for path in paths for page in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each page and one for all, then the longest sentences if requested."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="Markdown files or folders")
    parser.add_argument("--list", type=int, default=0, metavar="N", help="print the N longest sentences too")
    options = parser.parse_args(arguments)
    print(f"{'page':<40} {'sentences':>9} {'mean':>6} {'>' + str(LONG):>6} {'>' + str(VERY_LONG):>6}")
    found: list[tuple[int, str, str]] = []
    for page in pages(options.paths):
        here = [(length(one), str(page), one) for one in sentences(page.read_text(encoding="utf-8"))]
        print(row(str(page), [words for words, _, _ in here]))
        found += here
    print(row("all", [words for words, _, _ in found]))
    for words, name, sentence in sorted(found, key=lambda one: -one[0])[: options.list]:
        print(f"\n{words} {name}\n  {sentence}")


if __name__ == "__main__":
    main()
