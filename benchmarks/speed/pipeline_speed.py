"""Measure the time from raw text to JSON lines: processor seconds per stage, and pairs per second.

Usage::

    python benchmarks/speed/pipeline_speed.py PAIRS [--words dictionary] [--limit 300] [--workers 1 2]
    python benchmarks/speed/pipeline_speed.py PAIRS --aligner contextual --workers 1 2
    python benchmarks/speed/pipeline_speed.py PAIRS --gpu 20

PAIRS is any file that ``forest-align align`` reads; only its raw text is used. The table of stages covers
only the forest aligner. It is measured with one thread, so that other work on the machine does not affect the
processor time. Then the command itself runs in a separate process with each number of workers.

``--gpu T`` adds an estimate of what a GPU that reaches T teraflops in 16 bits and several cores give. The GPU
does the operations of both networks, which torch counts. One core feeds it, makes trees and writes JSON; the
others align. Both sides work at the same time, so the slower one counts.
"""

from __future__ import annotations

import argparse
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch.utils.flop_counter import FlopCounterMode

from forest_align.aligners.forest import aligner as forest_module
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES
from forest_align.alignment import Alignment
from forest_align.cext import alignment as kernel
from forest_align.data.pairs import read_pairs
from forest_align.parsing.forests import decoding as n_best_module
from forest_align.parsing.networks.devices import DEVICE_BATCH_SUBWORDS, Device
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.parser_loading import locate_parser
from forest_align.parsing.tokenize import tokenize
from forest_align.types import InputError


class Stopwatch:
    """Processor seconds of this thread by stage; nested stages count separately."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inside: list[float] = []
        self._watched = ExitStack()

    def watch(self, owner: Any, name: str, stage: str) -> None:
        """Measure a function or method until :meth:`stop` is called."""
        function = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            return self.run(stage, function, *arguments, **options)

        self._watched.enter_context(patch.object(owner, name, timed))

    def stop(self) -> None:
        """Restore the original functions."""
        self._watched.close()

    def run(self, stage: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call a function and add its time to the stage, minus the time of watched functions in it."""
        self._inside.append(0.0)
        started = time.thread_time()
        try:
            return function(*arguments, **options)
        finally:
            spent = time.thread_time() - started
            self.seconds[stage] += spent - self._inside.pop()
            if self._inside:
                self._inside[-1] += spent


#: Stages of a GPU, and of the processes that align beside it. All others are left to the one that feeds it.
NETWORKS = ("encoder and span scores", "word vectors")
ALIGNING = (
    "word candidates",
    "phrase features",
    "phrase-pair model",
    "relations of phrases",
    "paraphrase probability",
    "alignment kernel",
    "alignment built from arrays",
)
CORES = (2, 4, 8, 16)


def watch_stages(watch: Stopwatch, aligner: ForestAligner) -> None:
    """Measure every stage between raw text and JSON."""
    scorer = aligner.parser._scorer
    watch.watch(scorer, "score", "encoder and span scores")
    watch.watch(aligner.parser, "_vectors", "word vectors")
    watch.watch(aligner.parser, "_decode", "n best trees, lemmas")
    watch.watch(n_best_module, "forest_from_constituents", "packed forests")
    watch.watch(aligner.candidates, "candidates", "word candidates")
    watch.watch(aligner, "features", "phrase features")
    watch.watch(forest_module, "judged_phrases", "phrase-pair model")
    watch.watch(forest_module, "with_relations", "relations of phrases")
    watch.watch(forest_module, "with_paraphrase_probability", "paraphrase probability")
    watch.watch(kernel, "align", "alignment kernel")
    watch.watch(forest_module, "build_alignment", "alignment built from arrays")
    watch.watch(Alignment, "to_json", "JSON")


def report_stages(pairs: Sequence[tuple[str, str]], words: str, teraflops: float | None = None) -> None:
    """Print processor seconds per thousand pairs for each stage, and an estimate for a GPU."""
    torch.set_num_threads(1)
    aligner = ForestAligner.load(candidates=words)
    for alignment in aligner.align_many(pairs[:32]):  # caches fill, kernels load
        alignment.to_json()
    watch = Stopwatch()
    watch_stages(watch, aligner)

    def run() -> None:
        for alignment in aligner.align_many(pairs):
            alignment.to_json()

    watch.run("everything else", run)
    watch.stop()
    total = sum(watch.seconds.values())
    for stage, seconds in sorted(watch.seconds.items(), key=lambda item: -item[1]):
        print(f"  {stage:28} {1000 * seconds / len(pairs):7.2f} s  {100 * seconds / total:5.1f} %")
    print(f"  {'all, one thread':28} {1000 * total / len(pairs):7.2f} s  a thousand pairs", flush=True)
    if teraflops is not None:
        report_estimate(watch.seconds, pairs, aligner, teraflops)


def report_estimate(
    seconds: Mapping[str, float], pairs: Sequence[tuple[str, str]], aligner: ForestAligner, teraflops: float
) -> None:
    """Print how many pairs per second one GPU and several cores would align, by the times of the stages."""
    operations = network_operations(pairs) / len(pairs)
    feeding = pickling_seconds(pairs, aligner) / len(pairs)
    aligning = sum(seconds[stage] for stage in ALIGNING) / len(pairs)
    networks = sum(seconds[stage] for stage in NETWORKS) / len(pairs)
    everything = sum(seconds.values()) / len(pairs)
    on_gpu = operations / (teraflops * 1e12)
    first = everything - networks - aligning + feeding + on_gpu
    print(f"a pair takes {operations / 1e9:.1f} gigaflops: {1000 * on_gpu:.2f} ms of a GPU")
    print(f"and {1000 * networks:.2f} ms of a core; feeding the GPU takes {1000 * (first - on_gpu):.2f} ms")
    print(f"(of these {1000 * feeding:.2f} ms pickling), aligning {1000 * aligning:.2f} ms of other cores")
    print("| cores | without a GPU | one GPU | one GPU, two shards on it |")
    print("|---|---|---|---|")
    for cores in CORES:
        rates = [cores / everything]
        for shards in (1, 2):
            rates.append(min(shards / first, max(cores - shards, 0) / aligning))
        print(f"| {cores} | " + " | ".join(f"{rate:.0f} pairs/s" for rate in rates) + " |")


def network_operations(pairs: Sequence[tuple[str, str]]) -> int:
    """Floating-point operations of the parser's network, which makes word vectors too, for some pairs."""
    device = Device("cpu", "float32", DEVICE_BATCH_SUBWORDS)
    sentences = [[token.text for token in tokenize(text)] for pair in pairs for text in pair]
    with FlopCounterMode(display=False) as counter:
        EncoderScorer.read(locate_parser("en"), device=device).score(sentences)
    return int(counter.get_total_flops())


def pickling_seconds(pairs: Sequence[tuple[str, str]], aligner: ForestAligner) -> float:
    """Processor seconds for sending prepared pairs to another process and reading its alignments."""
    prepared = aligner.prepare([text for pair in pairs for text in pair], 2 * len(pairs))
    answers = [pickle.dumps(alignment) for alignment in aligner.align_many(pairs)]
    started = time.thread_time()
    for place in range(0, len(prepared), 2):
        pickle.dumps(prepared[place : place + 2])
    for answer in answers:
        pickle.loads(answer)
    return time.thread_time() - started


def run_command(
    pairs: Sequence[tuple[str, str]], choice: Sequence[str], workers: int
) -> tuple[float, float, float]:
    """Run ``forest-align align`` over raw text in a separate process.

    Returns
    -------
    float
        Wall-clock seconds until the first line is written.
    float
        Wall-clock seconds until the end.
    float
        Seconds of processor time.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "pairs.tsv")
        source.write_text("".join(f"{one}\t{two}\n" for one, two in pairs), encoding="utf-8")
        arguments = ["align", str(source), *choice, "--workers", str(workers)]
        spent, started = _processor_seconds(), time.perf_counter()
        command = [sys.executable, "-m", "forest_align", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            first = time.perf_counter() - started
            while process.stdout.read(1 << 16):
                pass
        if process.returncode:
            sys.exit(f"the command failed with status {process.returncode}")
        return first, time.perf_counter() - started, _processor_seconds() - spent


def _processor_seconds() -> float:
    """Processor time of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("pairs", metavar="PAIRS", help="file of sentence pairs")
    options.add_argument("--aligner", choices=tuple(bundled_models()), default="forest")
    options.add_argument("--words", choices=WORD_CANDIDATES, default=DEFAULT_WORDS)
    options.add_argument("--gpu", type=float, metavar="T", help="estimate for a GPU of T teraflops")
    options.add_argument("--limit", type=int, default=300, help="pairs of the table of stages")
    options.add_argument("--workers", type=int, nargs="*", default=[], help="run the command as well")
    options.add_argument("--repeat", type=int, default=1, help="how often the command gets all pairs")
    arguments = options.parse_args()
    found = [pair for pair in read_pairs(arguments.pairs) if not isinstance(pair, InputError)]
    pairs = [(pair.source.text, pair.target.text) for pair in found]
    choice = ["--aligner", arguments.aligner]
    if arguments.aligner == ForestAligner.name:
        choice += ["--words", arguments.words]
        print(f"{arguments.words} candidates, {len(pairs[: arguments.limit])} pairs:")
        report_stages(pairs[: arguments.limit], arguments.words, arguments.gpu)
    pairs *= arguments.repeat
    for workers in arguments.workers:
        _, start, start_spent = run_command(pairs[:1], choice, workers)
        first, seconds, spent = run_command(pairs, choice, workers)
        rate = len(pairs) / (seconds - start)
        work = 1000 * (spent - start_spent) / len(pairs)
        print(
            f"{arguments.aligner}, {workers} workers, {len(pairs)} pairs: first line after {first:.1f} s; "
            f"without the start ({start:.1f} s) {rate:.0f} pairs/s, "
            f"{work:.1f} s of processor time a thousand pairs",
            flush=True,
        )


if __name__ == "__main__":
    main()
