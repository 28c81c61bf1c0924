"""The benchmarks by name, with their splits and their files in a data folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forest_align.alignment import Links
from forest_align.data.formats.spade import PARTS
from forest_align.data.pairs import SentencePair
from forest_align.eval.benchmarks._annotated_phrases import spade_files, spade_task
from forest_align.eval.benchmarks._applications import (
    BOTH,
    SOURCE,
    TARGET,
    Scorer,
    Side,
    classification_scorer,
    decoding_use,
    naive_use,
    paraphrase_use,
    paws_task,
    ranking_scorer,
    sick_task,
    similarity_scorer,
    weighted_use,
)
from forest_align.eval.benchmarks._chunk_links import ists_task
from forest_align.eval.benchmarks._differing_spans import ssd_task
from forest_align.eval.benchmarks._edit_task import edit_task
from forest_align.eval.benchmarks._word_links import GoldVersion, dependency_scorer, word_scorer
from forest_align.eval.benchmarks.phrase_units import etpc_task, verses_task
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.benchmarks.task import Files, Task, tokenized_sentences
from forest_align.eval.metrics.pair_scores import document_frequency_weights
from forest_align.eval.metrics.phrase_scores import Span
from forest_align.types import InputError


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark that can be loaded."""

    title: str
    files: dict[str, tuple[str, ...]]  # per split, the default first; relative to the data folder
    load: Callable[[Files, str], Task]  # makes the task from a split's files and its name
    # Finds the files of a further split in the data folder.
    find: Callable[[Path, str], list[Path]] | None = None
    found: tuple[str, ...] = ()  # splits that ``find`` knows, the one for development first

    @property
    def default_split(self) -> str:
        """The split for development; the test part only if the benchmark has no other."""
        return next(iter(self.files))

    def split_for(self, data: Path) -> str:
        """The split for development whose files are in a data folder."""
        here = all((data / name).is_file() for name in self.files[self.default_split])
        return self.default_split if here or not self.found else self.found[0]

    def paths(self, data: Path, split: str) -> list[Path]:
        """Files of a split. Raises InputError if there is no such split, or a file is missing: names it."""
        if self.find is not None and split in self.found:
            return self.find(data, split)
        if split not in self.files:
            known = ", ".join([*self.files, *self.found])
            raise InputError(f"unknown split {split!r}; there are: {known}", field="split")
        paths = [data / name for name in self.files[split]]
        for path in paths:
            if not path.is_file():
                raise InputError("no such file; is --data the folder of the corpora?", file=str(path))
        return paths


def _links_of(pairs: Sequence[SentencePair]) -> list[Links]:
    return [Links() if pair.links is None else pair.links for pair in pairs]


def _msr_rte(files: Files, split: str) -> Task:
    pairs = files.pairs()
    phrasal = files.version(1, pairs)
    versions = [GoldVersion("msr-rte", _links_of(pairs)), GoldVersion("msr-rte phrasal", _links_of(phrasal))]
    return _word_task(pairs, versions)


def _edinburgh(files: Files, split: str) -> Task:
    pairs = files.pairs()
    possible, phrasal = (files.version(index, pairs) for index in (1, 2))
    versions = [
        GoldVersion("edinburgh", _links_of(pairs)),
        GoldVersion("edinburgh sure+possible", _links_of(possible), "all"),
        GoldVersion("edinburgh phrasal", _links_of(phrasal)),
    ]
    parses, most = StanfordParses.read(files.paths[3]), files.limit and 2 * files.limit
    trees = parses.constituents()[:most]
    lengths = [len(sentence) for pair in pairs for sentence in (pair.source, pair.target)]
    if [length for length, _ in trees] != lengths:
        raise InputError("expected the trees of the corpus's sentences, in order", file=str(files.paths[3]))
    spans = [spans for _, spans in trees]
    constituents = list(zip(spans[::2], spans[1::2], strict=True))
    words = _word_task(pairs, versions, constituents, "edinburgh constituents")
    arcs = parses.arcs()[:most]
    if not arcs:
        return words
    if len(arcs) != len(lengths):
        raise InputError("expected dependencies of all sentences, or none", file=str(files.paths[3]))
    dependencies = dependency_scorer(
        [
            GoldVersion("edinburgh dependencies", versions[0].links),
            GoldVersion("edinburgh dependencies sure+possible", versions[1].links, "all"),
        ],
        list(zip(arcs[::2], arcs[1::2], strict=True)),
    )
    return replace(words, score=lambda found: [*words.score(found), *dependencies(found)])


def _multi_mwa(table: str) -> Callable[[Files, str], Task]:
    def load(files: Files, split: str) -> Task:
        pairs = files.pairs()
        versions = [GoldVersion(table, _links_of(pairs))]
        if any(links.sure is not None for links in versions[0].links):
            versions.append(GoldVersion(f"{table} sure+possible", versions[0].links, "all"))
        return _word_task(pairs, versions)

    return load


def _word_task(
    pairs: Sequence[SentencePair],
    versions: Sequence[GoldVersion],
    constituents: Sequence[tuple[Sequence[Span], Sequence[Span]]] | None = None,
    table: str = "",
) -> Task:
    ids = [pair.id for pair in pairs]
    return Task(ids, tokenized_sentences(pairs), word_scorer(versions, ids, constituents, table))


def _sts2013(files: Files, split: str) -> Task:
    ids, sets, pairs = files.sets([path.name.split(".")[0] for path in files.paths])
    gold = [_known(pair.score, "score", name) for pair, name in zip(pairs, ids, strict=True)]
    return _application(ids, pairs, similarity_scorer(sets, gold), BOTH)


def _classified(table: str, side: Side) -> Callable[[Files, str], Task]:
    """Make a classification task; the last file is measured, the others tune the threshold."""

    def load(files: Files, split: str) -> Task:
        parts = [files.pairs(index) for index in range(len(files.paths))]
        pairs = [pair for part in parts for pair in part]
        ids = [
            f"{path.stem}:{pair.id}" for path, part in zip(files.paths, parts, strict=True) for pair in part
        ]
        labels = [bool(_known(pair.label, "label", name)) for pair, name in zip(pairs, ids, strict=True)]
        scorer = classification_scorer(table, labels, len(pairs) - len(parts[-1]))
        return _application(ids, pairs, scorer, side, paraphrases=side == BOTH)

    return load


def _qa(files: Files, split: str) -> Task:
    pairs = files.pairs()
    labels = [bool(_known(pair.label, "label", pair.id)) for pair in pairs]
    scorer = ranking_scorer([pair.group for pair in pairs], labels)
    return _application([pair.id for pair in pairs], pairs, scorer, SOURCE)


def _application(
    ids: Sequence[str],
    pairs: Sequence[SentencePair],
    scorer: Scorer,
    side: Side,
    *,
    paraphrases: bool = False,
) -> Task:
    sentences = tokenized_sentences(pairs)
    weights = document_frequency_weights(sentence.words for pair in sentences for sentence in pair)
    uses = [naive_use(scorer, side), decoding_use(scorer)]
    if paraphrases:
        uses.append(paraphrase_use(scorer))
    return Task(
        ids,
        sentences,
        lambda alignments: [figures for use in uses for figures in use(alignments)],
        weighted_use(scorer, side, weights),
    )


def _known(value: float | None, field: str, name: str) -> float:
    if value is None:
        raise InputError(f"pair {name!r}: expected a value, found none", field=field)
    return value


def _edinburgh_files(split: str) -> tuple[str, ...]:
    kinds = ("sure.json", "sure+possible.json", "phrasal.json", "stanford.xml.gz")
    return tuple(f"alignment/edinburgh/{split}.{kind}" for kind in kinds)


def _ists_files(part: str) -> tuple[str, ...]:
    return tuple(
        f"ists/STSint.{part}.{name}.{kind}"
        for kind in ("wa", "sent1.chunk.txt", "sent2.chunk.txt")
        for name in ("headlines", "images", "answers-students")
    )


_MSRP = "extrinsic/msrp/msr-para-{}.tsv"
_RTE = "extrinsic/rte/rte{}.xml"

BENCHMARKS = {
    "msr-rte": Benchmark(
        "MSR alignment of RTE-2 (Brockett 2007), majority of three annotators, and its phrasal version",
        {
            split: (f"alignment/msr_rte/{split}.majority.json", f"alignment/msr_rte/{split}.phrasal.json")
            for split in ("dev", "test")
        },
        _msr_rte,
    ),
    "edinburgh": Benchmark(
        "Edinburgh++ (Thadani et al. 2012): sure, sure and possible, phrasal, constituents, dependencies",
        {split: _edinburgh_files(split) for split in ("train", "test")},
        _edinburgh,
    ),
    "mtref": Benchmark(
        "MultiMWA-MTRef (Lan et al. 2021)",
        {split: (f"alignment/mtref/{split}.tsv",) for split in ("dev", "train")},
        _multi_mwa("mtref"),
    ),
    "wiki": Benchmark(
        "MultiMWA-Wiki (Lan et al. 2021)",
        {split: (f"alignment/wiki/{split}.tsv",) for split in ("dev", "train")},
        _multi_mwa("wiki"),
    ),
    "spade": Benchmark(
        "SPADE (Arase and Tsujii 2018): the corpus (dev, test), or public samples of it and of ESPADA",
        {
            "sample": ("spade_sample/s-001.xml", "spade_sample/t-001.xml"),
            "espada": ("spade_sample/espada/s-0003.xml", "spade_sample/espada/t-0003.xml"),
        },
        spade_task,
        spade_files,
        PARTS,
    ),
    "ists": Benchmark(
        "SemEval-2016 iSTS chunk alignment, gold chunks",
        {"train": _ists_files("input"), "test": _ists_files("testinput")},
        ists_task,
    ),
    "etpc": Benchmark(
        "ETPC (Kovatchev et al. 2018): typed phrase correspondences of pairs of MSRP that are no paraphrases",
        {split: (f"phrases/etpc-{split}.jsonl",) for split in ("dev", "test")},
        etpc_task,
    ),
    "verses": Benchmark(
        "Verses of a literal and of a simple English Bible (unfoldingWord), aligned with the original",
        dict.fromkeys(("dev", "train"), ("phrases/verses-train.jsonl.gz",)),
        verses_task,
    ),
    "ssd": Benchmark(
        "Span similarity dataset (Miguel Lozano et al. 2026): spans that differ in meaning",
        {split: (f"differences/ssd-{split}.tsv",) for split in ("dev", "test")},
        ssd_task,
    ),
    "sick": Benchmark(
        "SICK (Marelli et al. 2014): entailment and contradiction by the relation of the whole sentences",
        {split: (f"extrinsic/sick/{split}.txt",) for split in ("train", "trial")},
        sick_task,
    ),
    "paws": Benchmark(
        "PAWS-Wiki (Zhang et al. 2019): paraphrases of nearly the same words, by the same relation",
        {split: (f"extrinsic/paws/{split}.tsv",) for split in ("dev", "test")},
        paws_task,
    ),
    "edits": Benchmark(
        "arXivEdits (Jiang et al. 2022): spans of the edits between two versions of a sentence",
        {split: (f"edits/arxivedits-{split}.json",) for split in ("dev", "test", "train")},
        edit_task,
    ),
    "sts2013": Benchmark(
        "*SEM 2013 semantic textual similarity",
        {"test": tuple(f"extrinsic/sts2013/{name}.test.tsv" for name in ("headlines", "OnWN", "FNWN"))},
        _sts2013,
    ),
    "msrp": Benchmark(
        "Microsoft paraphrase corpus; threshold tuned on its training part",
        {
            "dev": (_MSRP.format("train"), _MSRP.format("val")),
            "test": (_MSRP.format("train"), _MSRP.format("val"), _MSRP.format("test")),
        },
        _classified("msrp", BOTH),
    ),
    "rte": Benchmark(
        "RTE-3; threshold tuned on RTE-1 and RTE-2 (and, for test, RTE-3 dev)",
        {
            "dev": (_RTE.format("1_dev"), _RTE.format("2_dev"), _RTE.format("3_dev")),
            "test": tuple(
                _RTE.format(part) for part in ("1_dev", "1_test", "2_dev", "2_test", "3_dev", "3_test")
            ),
        },
        _classified("rte", TARGET),
    ),
    "qa": Benchmark(
        "TREC answer sentence ranking (Wang et al. 2007)",
        {split: (f"extrinsic/qa/{split}.csv",) for split in ("dev", "test", "train")},
        _qa,
    ),
}
