"""The options of ``align``."""

from __future__ import annotations

from dataclasses import dataclass

from forest_align.aligners.base import BATCH_SIZE
from forest_align.cli.aligner_choice import ANNOTATORS, WORDS, aligner_option
from forest_align.cli.arguments import (
    argument,
    columns_option,
    device_option,
    escapes_option,
    format_option,
    links_option,
    option,
    output_option,
    part,
    removed_variant,
    tokenized_option,
)
from forest_align.cli.run_options import GpuClusterOptions, shard_option
from forest_align.jobs.shards import Shard
from forest_align.system.terminal import positive

OUTPUTS = ("jsonl", "parquet", "pharaoh", "tsv", "csv", "ists", "html", "svg", "text")
#: Pairs of a part, unless ``--part-size`` says otherwise: some 20 seconds of work.
PART_SIZE = 1024


@dataclass(frozen=True, slots=True)
class AlignOptions:
    """Options of ``align``."""

    pairs: str | None = argument(
        "PAIRS",
        nargs="?",
        help="file of sentence pairs; - for standard input, which is also the default if it is piped",
    )
    target: str | None = argument("SENTENCE", nargs="?", help="second sentence; PAIRS is then the first")
    more: tuple[str, ...] = argument(
        "PAIRS",
        nargs="*",
        help="with --engine, all of these are files of pairs, perhaps with wildcards: tsv, jsonl or parquet",
        default=(),
    )
    output: str | None = output_option()
    aligner: str | None = aligner_option("what aligns")
    model: str | None = option("--model FOLDER", help="a trained model; default: the bundled one")
    variant: None = removed_variant()
    parser: str | None = option(
        "--parser NAME",
        help="en (bundled), a benepar model or a folder; default: trees of the input if it has them, else en",
    )
    annotator: str | None = option(
        "--annotator",
        choices=ANNOTATORS,
        help="source of the sultan aligner's dependencies and named entities: trees (the parse) or the spaCy "
        "model (extra [spacy]); default: what the model says",
    )
    to: str | None = option(
        "--to",
        choices=OUTPUTS,
        help="output format: svg is a picture of one pair, ists is for --chunks; default: by the extension "
        "of OUT, else jsonl (text for two sentences)",
    )
    source_format: str | None = format_option(
        "--from", "format of PAIRS, one of those below; recognised by default"
    )
    columns: tuple[str, str] | None = columns_option()
    tokenized: bool = tokenized_option()
    escapes: str | None = escapes_option()
    words: str | None = option(
        "--words NAME|FILE",
        help=f"where word candidates come from: {', '.join(WORDS)} (links of the input), "
        "or a file of Pharaoh links; default: as the model has it",
    )
    links: str = links_option()
    ppdb: str | None = option(
        "--ppdb FILE",
        help="paraphrase pairs (TSV or PPDB's own lines, perhaps gzipped) as further evidence; without them, "
        "sultan uses WordNet and word vectors",
    )
    alignments: int = option(
        "-k N",
        type=positive,
        default=1,
        help="the N best different alignments of each pair (forest; not pharaoh)",
    )
    chunks: bool = option(
        "--chunks",
        action="store_true",
        help="align the chunks that the input gives, with relations and similarities; MODEL is a forest one",
    )
    all: bool = option(
        "--all",
        action="store_true",
        help="text: show all phrase pairs and links, with labels and scores; default: what differs",
    )
    simple: bool = option(
        "--simple", action="store_true", help="svg: draw words, phrases and links only, without trees"
    )
    explain: bool = option("--explain", action="store_true", help="name the evidence for each word link")
    min_probability: float | None = option(
        "--min-probability P",
        type=float,
        help="drop word links and phrase pairs less probable than P; default: keep all",
    )
    partial: bool = option(
        "--partial",
        action="store_true",
        help="drop the outermost phrase pairs less probable than 0.5, such as that of sentences that share a "
        "part only; what they contain stays",
    )
    workers: int = option("--workers N", type=positive, default=1, help="processes")
    batch_size: int = option(
        "--batch-size N",
        type=positive,
        default=BATCH_SIZE,
        help="pairs parsed together; with 1 each is answered at once",
    )
    resume: bool = option(
        "--resume", action="store_true", help="continue OUT where a run stopped (jsonl, parquet and pharaoh)"
    )
    shard: Shard | None = shard_option("pairs")
    device: str = device_option()
    cluster: GpuClusterOptions = part(GpuClusterOptions)
    part_size: int | None = option(
        "--part-size N",
        type=positive,
        help=f"with --engine, pairs of each part in the folder OUT; default: {PART_SIZE}",
    )
