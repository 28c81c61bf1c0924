"""Links that the hand-aligned corpora give as gold: sure ones, and the shares of their annotators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from forest_align.alignment import Links
from forest_align.data.pairs import SentencePair, read_pairs


def wanted_links(path: Path, pairs: Sequence[SentencePair]) -> list[np.ndarray | None]:
    """For each pair of MSR-RTE the share of annotators who made a link, float32 (n, m).

    A link that one of three annotators made is more likely right than a link that none made. A possible link
    counts a third. None if an annotator's file splits the sentences into other words.
    """
    annotators = [list(read_pairs(path.with_name(f"RTE2_dev_{name}.align.txt"))) for name in "ABC"]
    result: list[np.ndarray | None] = []
    for pair, *versions in zip(pairs, *annotators, strict=True):
        share = np.zeros((len(pair.source), len(pair.target)), dtype=np.float32)
        for version in versions:
            links = version.links if isinstance(version, SentencePair) else None
            if links is None or (len(version.source), len(version.target)) != share.shape:
                break
            for (i, j), sure in zip(links.pairs, links.sure or (True,) * len(links), strict=True):
                share[i, j] += (1 if sure else 1 / 3) / len(versions)
        else:
            result.append(share)
            continue
        result.append(None)
    return result


def only_sure(links: Links | None) -> Links:
    """The sure links of a pair that has links."""
    assert links is not None
    return links.only_sure()


def mtref_train_links(path: Path) -> list[list[tuple[int, int]]]:
    """Sure links of MTRef's train part, which lists sure links first and possible links after, each in order.

    If the source index decreases once, the links after that point are the possible ones. They are 12.6% of
    all links, similar to the dev part (13.1%), which marks them.
    """
    result = []
    for line in path.read_text(encoding="utf-8").splitlines():
        ends = [item.split("-") for item in line.split("\t")[7].split()]
        links = [(int(i), int(j)) for i, j in ends]
        falls = [k for k in range(1, len(links)) if links[k][0] < links[k - 1][0]]
        result.append(links[: falls[0]] if len(falls) == 1 else links)
    return result
