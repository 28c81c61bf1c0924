"""Options of ``benchmark``, and its aligners by their names: models, the baseline, ablation variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.aligners.words.choose import WORD_CANDIDATES
from forest_align.alignment import Alignment, Links
from forest_align.cli.arguments import ALL_LINKS, argument, links_option, option, word_candidates_name
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.eval.benchmarks.runner import AlignMany
    from forest_align.eval.benchmarks.table_aligners import ParseOnce


class IdentityAligner:
    """Link every source token to every target token with the same lower-cased form.

    It needs neither a model nor a parse, and aligns no phrases. A word that occurs twice on both sides gets
    four links.
    """

    name = "identity"

    def align(self, source: Sentence, target: Sentence) -> Alignment:
        """Align one pair of tokenized sentences."""
        places: dict[str, list[int]] = {}
        for j, word in enumerate(target.words):
            places.setdefault(word.lower(), []).append(j)
        links = Links.of((i, j) for i, word in enumerate(source.words) for j in places.get(word.lower(), ()))
        return Alignment(source, target, links, aligner=self.name)

    def align_many(self, pairs: Iterable[tuple[Sentence, Sentence]]) -> Iterator[Alignment]:
        """Align pairs one by one, in order."""
        for source, target in pairs:
            yield self.align(source, target)


NAMES = (
    "msr-rte",
    "edinburgh",
    "mtref",
    "wiki",
    "spade",
    "ists",
    "etpc",
    "verses",
    "ssd",
    "sick",
    "paws",
    "edits",
    "sts2013",
    "msrp",
    "rte",
    "qa",
)
#: The baseline, which needs no model, and the aligner of given chunks.
IDENTITY, CHUNKS = "identity", "chunks"


@dataclass(frozen=True, slots=True)
class BenchmarkOptions:
    """Options of ``benchmark``."""

    name: str = argument("NAME", choices=NAMES, help=f"one of {', '.join(NAMES)}")
    data: Path = option("--data", metavar="DIR", type=Path, required=True, help="folder of the corpora")
    aligner: tuple[str, ...] | None = option(
        "--aligner",
        metavar="NAME",
        action="append",
        help="name of an aligner ('forest-align align --aligner help' explains them) or folder of its model; "
        "may be repeated; default: forest",
    )
    words: str | None = option(
        "--words",
        metavar="NAME",
        type=word_candidates_name,
        help=f"source of the forest aligner's word candidates: {' or '.join(WORD_CANDIDATES)}; "
        "default: as the model has it",
    )
    ppdb: str | None = option(
        "--ppdb",
        metavar="FILE",
        help="paraphrase pairs (TSV, perhaps gzipped) for sultan and models tuned from it, which use WordNet "
        "and word vectors without them",
    )
    annotator: str | None = option(
        "--annotator",
        choices=("trees", "spacy"),
        help="source of dependencies and named entities for sultan and models tuned from it; "
        "default: what the model says",
    )
    links: str = links_option()
    split: str | None = option(
        "--split", metavar="NAME", help="part of the corpus; default: the one for development"
    )
    output: Path = option(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("benchmark-runs"),
        help="folder for predictions and reports",
    )
    ablation: bool = option(
        "--ablation",
        action="store_true",
        help="also run each forest aligner without non-compositional alignment, without learned weights, and "
        "on 1-best trees",
    )
    limit: int | None = option(
        "--limit", type=int, metavar="N", help="a trial run over the first N pairs of each file"
    )
    resume: bool = option(
        "--resume", action="store_true", help="continue an interrupted run from the predictions in the folder"
    )
    chunks: bool = option(
        "--chunks",
        action="store_true",
        help="also run the aligner of given chunks (ists); it has learned from the train part",
    )
    seed: int = option("--seed", type=int, default=0, metavar="N", help="seed of the intervals")


def with_variants(names: Sequence[str]) -> list[str]:
    """Aligner names; each forest aligner is followed by its ablation variants, ``NAME:VARIANT``."""
    from forest_align.eval.benchmarks.table_aligners import VARIANTS

    found = []
    for name in names:
        found += [name, *(f"{name}:{variant}" for variant in VARIANTS if kind_by_name(name) == "forest")]
    return found


def without_variant(name: str) -> tuple[str, str]:
    """The aligner's own name, and the variant of the ablation; empty if it is the aligner itself."""
    from forest_align.eval.benchmarks.table_aligners import VARIANTS

    own, _, variant = name.rpartition(":")
    return (own, variant) if own and variant in VARIANTS else (name, "")


def check_aligners(names: Sequence[str], args: BenchmarkOptions) -> None:
    """Refuse wrong names and options now, instead of after hours of other aligners' work."""
    kinds = {kind_by_name(name) for name in names}
    if args.ablation and "forest" not in kinds:
        raise InputError("--ablation is for the forest aligner, which is not asked for")
    for name in ("ppdb", "annotator"):
        if getattr(args, name) is not None and "sultan" not in kinds:
            raise InputError(f"--{name} is for the sultan aligner, which is not asked for")
    if args.links != "sure" and not kinds & {*ALL_LINKS}:
        raise InputError(f"--links all is for {', '.join(ALL_LINKS)}, which are not asked for")
    if args.links != "sure" and args.words == "dictionary":
        raise InputError("--links all cannot be combined with --words dictionary, which has no probabilities")
    if args.words is not None and "forest" not in kinds:
        raise InputError("--words is for the forest aligner, which is not asked for")
    if args.ppdb is not None and not Path(args.ppdb).is_file():
        raise InputError("no such file", file=args.ppdb)


def kind_by_name(name: str) -> str:
    """The kind of an aligner; the baseline and the aligner of chunks are separate kinds."""
    from forest_align.aligners.loading import kind_of

    return name if name in (IDENTITY, CHUNKS) else kind_of(without_variant(name)[0])


def options_for(name: str, args: BenchmarkOptions) -> dict[str, str]:
    """The given options that apply to this aligner."""
    kind = kind_by_name(name)
    if kind == "sultan":
        values = {"annotator": args.annotator, "ppdb": args.ppdb and Path(args.ppdb).name}
    elif kind == "forest":
        values = {"words": args.words}
    else:
        values = {}
    if kind in ALL_LINKS and args.links != "sure":
        values["links"] = args.links
    return {option: value for option, value in values.items() if value is not None}


def benchmark_aligner(
    name: str, args: BenchmarkOptions, parser: ParseOnce | None
) -> tuple[AlignMany, Mapping[str, object]]:
    """The aligner's function over many pairs, and its settings."""
    if name == IDENTITY:
        return IdentityAligner().align_many, {}
    from forest_align.aligners import load

    options: dict[str, Any] = {} if parser is None else {"parser": parser}
    given = options_for(name, args)
    if "words" in given:
        options["candidates"] = given["words"]
    if "ppdb" in given and args.ppdb is not None:
        from forest_align.lexicon.pair_table import PairTable

        options["ppdb"] = PairTable.load(args.ppdb)
    options |= {option: given[option] for option in ("annotator", "links") if option in given}
    own, variant = without_variant(name)
    aligner = load(own, **options)
    if variant:
        from forest_align.aligners.forest.aligner import ForestAligner
        from forest_align.eval.benchmarks.table_aligners import ablated

        assert isinstance(aligner, ForestAligner)
        aligner = ablated(aligner, variant)
        given = {**given, "ablation": variant}
    return aligner.align_many, {**aligner.settings, **given}
