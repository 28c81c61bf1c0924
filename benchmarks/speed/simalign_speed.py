"""Compare the speed of aligners with SimAlign's (Jalili Sabet et al. 2020), in one run on one thread.

SimAlign is a package of its own (``pip install simalign``) that needs an encoder of the transformers library,
such as all-MiniLM-L6-v2::

    python benchmarks/speed/simalign_speed.py PAIRS --encoder FOLDER [--limit 256] [--rounds 3]

PAIRS is any file that ``forest-align align`` reads. SimAlign splits the texts at spaces. As in its own script
for files, the encoder runs on one side of 32 pairs at a time, and its vectors are averaged over words. Each
pair gets the links of ``inter`` and ``itermax``, without the slow matching ``mwmf``. Our aligners get the raw
text, and make JSON lines of all that they find. The aligners take turns. The medians of the rounds are
printed; how many times as fast as SimAlign is by processor time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import torch
from simalign import SentenceAligner

from forest_align.aligners import Aligner, load
from forest_align.aligners.model_folder import bundled_models
from forest_align.data.pairs import read_pairs
from forest_align.system.terminal import positive
from forest_align.types import InputError

#: Pairs that are computed together.
BATCH = 32


Pairs = Sequence[tuple[str, str]]


def align_with_simalign(aligner: SentenceAligner, pairs: Pairs) -> int:
    """The number of links that both of SimAlign's methods find."""
    batches = (pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH))
    return sum(len(links) for batch in batches for links in _links_of(aligner, batch))


def _links_of(aligner: SentenceAligner, pairs: Pairs) -> Iterator[list[tuple[str, int, int]]]:
    split = aligner.embed_loader.tokenizer.tokenize
    sides = [[pair[side].split() for pair in pairs] for side in (0, 1)]
    vectors = [aligner.embed_loader.get_embed_list(side).numpy() for side in sides]
    for number in range(len(pairs)):
        subwords = [[split(word) for word in side[number]] for side in sides]
        counts = [sum(map(len, words)) for words in subwords]
        cut = [vectors[side][number, : counts[side]] for side in (0, 1)]
        similarity = aligner.get_similarity(*aligner.average_embeds_over_words(cut, subwords))
        forward, backward = aligner.get_alignment_matrix(similarity)
        found = {"inter": forward * backward, "itermax": aligner.iter_max(similarity)}
        yield [(name, i, j) for name in found for i, j in zip(*found[name].nonzero(), strict=True)]


def align_with_ours(aligner: Aligner, pairs: Pairs) -> int:
    """The number of characters in the JSON lines of some pairs."""
    return sum(len(alignment.to_json()) for alignment in aligner.align_many(pairs, batch_size=BATCH))


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", metavar="PAIRS")
    parser.add_argument("--encoder", required=True, metavar="FOLDER", help="of SimAlign, or its name")
    parser.add_argument(
        "--layer", type=int, default=6, metavar="N", help="whose vectors it uses (default: 6)"
    )
    parser.add_argument("--limit", type=positive, default=256, metavar="N", help="pairs (default: 256)")
    parser.add_argument("--rounds", type=positive, default=3, metavar="N", help="default: 3")
    parser.add_argument(
        "--aligner", nargs="+", choices=tuple(bundled_models()), default=["contextual", "forest"]
    )
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    usable = (pair for pair in read_pairs(options.pairs) if not isinstance(pair, InputError))
    pairs = [(pair.source.text, pair.target.text) for pair in islice(usable, options.limit)]
    theirs = SentenceAligner(options.encoder, token_type="word", matching_methods="ai", layer=options.layer)
    runs: dict[str, Callable[[Pairs], int]] = {"SimAlign": partial(align_with_simalign, theirs)}
    runs |= {name: partial(align_with_ours, load(name)) for name in options.aligner}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for run in runs.values():
        run(pairs[:BATCH])  # models are loaded
    for _ in range(options.rounds):
        for name, run in runs.items():
            started, before = time.perf_counter(), time.process_time()
            run(pairs)
            spent[name].append((time.perf_counter() - started, time.process_time() - before))
    print("| aligner | pairs/s | processor ms a pair | times as fast as SimAlign |\n|---|---|---|---|")
    medians = {
        name: [statistics.median(column) for column in zip(*spent[name], strict=True)] for name in runs
    }
    for name, (seconds, used) in medians.items():
        times = medians["SimAlign"][1] / used
        print(f"| {name} | {len(pairs) / seconds:.0f} | {1000 * used / len(pairs):.1f} | {times:.2f} |")


if __name__ == "__main__":
    main()
