r"""Compare tokenizers on the words of treebanks and on cases: precision, recall and F1 of words, and speed.

Usage::

    python benchmarks/quality/compare_tokenizers.py --gum TREEBANKS/gum --wsj TREEBANKS/wsj_sample \
        --craft TREEBANKS/craft --cases cases/tokens.jsonl

The words of each sentence are joined to text, with blanks where written English has them, and split again. A
word is right if the tokenizer finds the same characters. With ``--join 2`` a text holds that many consecutive
sentences, so that full stops stand inside it. Only training and development parts are read.

The other tokenizers are nltk's, which is the base of this package's, and those of spaCy, sacremoses and
syntok where they are installed: ``pip install spacy sacremoses syntok pysbd``. ``pysbd + nltk`` splits
sentences with pysbd, and each of them with nltk.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from forest_align.data.trees.treebanks import TreebankSentence, read_craft, read_gum, read_wsj
from forest_align.eval.parser_quality import spaced_words
from forest_align.parsing.tokenize import tokenize

Split = Callable[[str], list[str]]


def _ours(_: Any) -> Split:
    return lambda text: [token.text for token in tokenize(text)]


def _nltk(nltk: Any) -> Split:
    return nltk.NLTKWordTokenizer().tokenize


def _spacy(spacy: Any) -> Split:
    pipeline = spacy.blank("en")
    return lambda text: [token.text for token in pipeline.make_doc(text)]


def _moses(sacremoses: Any) -> Split:
    moses = sacremoses.MosesTokenizer("en")
    return lambda text: moses.tokenize(text, escape=False)


def _syntok(syntok: Any) -> Split:
    splitter = syntok.Tokenizer(emit_hyphen_or_underscore_sep=True, replace_not_contraction=False)
    return lambda text: [token.value for token in splitter.tokenize(text)]


def _pysbd(pysbd: Any) -> Split:
    segmenter = pysbd.Segmenter(language="en", clean=False)
    words = _nltk(import_module("nltk.tokenize.destructive"))
    return lambda text: [word for sentence in segmenter.segment(text) for word in words(sentence)]


#: Each tokenizer's name, module and maker.
TOKENIZERS: dict[str, tuple[str, Callable[[Any], Split]]] = {
    "forest-align": ("forest_align.parsing.tokenize", _ours),
    "nltk": ("nltk.tokenize.destructive", _nltk),
    "pysbd + nltk": ("pysbd", _pysbd),
    "spaCy": ("spacy", _spacy),
    "sacremoses": ("sacremoses", _moses),
    "syntok": ("syntok.tokenizer", _syntok),
}


def character_spans(words: Sequence[str]) -> set[tuple[int, int]]:
    """Spans of words in their text without blanks; nltk's double quotes count as the text's single mark."""
    spans, at = set(), 0
    for word in words:
        size = len("".join(word.split()))
        spans.add((at, at + size))
        at += size
    return spans


def as_written(words: Sequence[str], text: str) -> list[str]:
    """Undo the rewriting of double quotes, by which characters would be counted differently."""
    at, found = 0, []
    for word in words:
        while at < len(text) and text[at].isspace():
            at += 1
        if word in ("``", "''") and text.startswith('"', at):
            word = '"'
        found.append(word)
        at += len(word)
    return found


def texts(sentences: Sequence[TreebankSentence], join: int) -> Iterator[tuple[list[str], str]]:
    """Words and text of each ``join`` consecutive sentences."""
    for start in range(0, len(sentences), join):
        written = [spaced_words(sentence) for sentence in sentences[start : start + join]]
        words = [word for one, _ in written for word in one]
        yield words, " ".join(text for _, text in written)


def measure(split: Split, samples: Sequence[tuple[list[str], str]]) -> tuple[float, float, float, float]:
    """Precision, recall and F1 of words in percent, and thousands of words a second of processor time."""
    begun = time.process_time()
    outputs = [split(text) for _, text in samples]
    seconds = time.process_time() - begun
    right = gold = found = 0
    for (words, text), output in zip(samples, outputs, strict=True):
        expected, got = character_spans(words), character_spans(as_written(output, text))
        right, gold, found = right + len(expected & got), gold + len(expected), found + len(got)
    precision, recall = 100 * right / max(1, found), 100 * right / max(1, gold)
    return precision, recall, 200 * right / max(1, gold + found), gold / 1000 / seconds


def right_cases(split: Split, cases: Sequence[dict[str, Any]]) -> int:
    """Number of cases whose tokens are the expected ones."""
    return sum(as_written(split(case["text"]), case["text"]) == case["expected_tokens"] for case in cases)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one row for each tokenizer and part."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gum", type=Path, help="folder of GUM")
    parser.add_argument("--wsj", type=Path, help="folder of the WSJ sample")
    parser.add_argument("--craft", type=Path, help="folder of CRAFT")
    parser.add_argument("--cases", type=Path, help="JSON lines with text and expected_tokens")
    parser.add_argument("--join", type=int, nargs="+", default=[1, 2], help="sentences of a text")
    parser.add_argument("--limit", type=int, default=4000, help="sentences of each part")
    parser.add_argument("--tokenizers", nargs="+", default=list(TOKENIZERS), choices=list(TOKENIZERS))
    options = parser.parse_args(arguments)
    parts: dict[str, Sequence[TreebankSentence]] = {}
    if options.gum:
        gum = read_gum(options.gum)
        parts |= {"GUM train": gum.train, "GUM dev": gum.dev}
    if options.wsj:
        parts["WSJ train"] = read_wsj(options.wsj).train
    if options.craft:
        parts["CRAFT train"] = read_craft(options.craft).train
    if not parts and not options.cases:
        parser.error("nothing to measure: name --gum, --wsj, --craft or --cases")
    samples = {
        f"{name}, {join} a text": list(texts(sentences[: options.limit], join))
        for name, sentences in parts.items()
        for join in options.join
    }
    print("| tokenizer | part | P | R | F1 | 1,000 words/s |\n|---|---|---|---|---|---|")
    for name in options.tokenizers:
        module, make = TOKENIZERS[name]
        try:
            split = make(import_module(module))
        except ImportError:
            print(f"| {name} | not installed | | | | |")
            continue
        for part, sample in samples.items():
            precision, recall, f1, speed = measure(split, sample)
            print(
                f"| {name} | {part} | {precision:.2f} | {recall:.2f} | {f1:.2f} | {speed:.0f} |", flush=True
            )
        if options.cases:
            with options.cases.open(encoding="utf-8") as file:
                cases = [json.loads(line) for line in file]
            print(f"| {name} | cases: {right_cases(split, cases)} of {len(cases)} | | | | |", flush=True)


if __name__ == "__main__":
    main()
