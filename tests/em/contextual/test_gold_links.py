"""Gold links of the corpora: which of MTRef's links are sure."""

from __future__ import annotations

from pathlib import Path

from forest_align.em.contextual.examples import mtref_train_links


def test_possible_links_of_mtref_follow_the_sure_ones_after_one_fall(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    rows = ["0-0 1-1 2-2 0-1 1-2", "0-0 1-1 1-0 2-2", "2-0 1-1 0-2", ""]
    path.write_text("".join(f"0:0\ta b c\tN/A\ta b c\tN/A\t1\t1\t{row}\n" for row in rows))
    assert mtref_train_links(path) == [
        [(0, 0), (1, 1), (2, 2)],
        [(0, 0), (1, 1), (1, 0), (2, 2)],
        [(2, 0), (1, 1), (0, 2)],
        [],
    ]
