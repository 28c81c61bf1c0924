"""The benchmarks by name, with their splits and their files in a data folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forest_align.data.formats.spade import PARTS
from forest_align.eval.benchmarks._applications import (
    BOTH,
    TARGET,
    classified_task,
    paws_task,
    qa_task,
    sick_task,
    sts2013_task,
)
from forest_align.eval.benchmarks._changed_spans import edit_task, ssd_task
from forest_align.eval.benchmarks._chunk_links import ists_task
from forest_align.eval.benchmarks._word_links import edinburgh_task, msr_rte_task, multi_mwa_task
from forest_align.eval.benchmarks.marked_phrases import etpc_task, spade_files, spade_task, verses_task
from forest_align.eval.benchmarks.task import Files, Task
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
        msr_rte_task,
    ),
    "edinburgh": Benchmark(
        "Edinburgh++ (Thadani et al. 2012): sure, sure and possible, phrasal, constituents, dependencies",
        {split: _edinburgh_files(split) for split in ("train", "test")},
        edinburgh_task,
    ),
    "mtref": Benchmark(
        "MultiMWA-MTRef (Lan et al. 2021)",
        {split: (f"alignment/mtref/{split}.tsv",) for split in ("dev", "train")},
        multi_mwa_task("mtref"),
    ),
    "wiki": Benchmark(
        "MultiMWA-Wiki (Lan et al. 2021)",
        {split: (f"alignment/wiki/{split}.tsv",) for split in ("dev", "train")},
        multi_mwa_task("wiki"),
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
        sts2013_task,
    ),
    "msrp": Benchmark(
        "Microsoft paraphrase corpus; threshold tuned on its training part",
        {
            "dev": (_MSRP.format("train"), _MSRP.format("val")),
            "test": (_MSRP.format("train"), _MSRP.format("val"), _MSRP.format("test")),
        },
        classified_task("msrp", BOTH),
    ),
    "rte": Benchmark(
        "RTE-3; threshold tuned on RTE-1 and RTE-2 (and, for test, RTE-3 dev)",
        {
            "dev": (_RTE.format("1_dev"), _RTE.format("2_dev"), _RTE.format("3_dev")),
            "test": tuple(
                _RTE.format(part) for part in ("1_dev", "1_test", "2_dev", "2_test", "3_dev", "3_test")
            ),
        },
        classified_task("rte", TARGET),
    ),
    "qa": Benchmark(
        "TREC answer sentence ranking (Wang et al. 2007)",
        {split: (f"extrinsic/qa/{split}.csv",) for split in ("dev", "test", "train")},
        qa_task,
    ),
}
