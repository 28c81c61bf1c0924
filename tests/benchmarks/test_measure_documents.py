"""The script that measures sentence alignment of documents."""

from __future__ import annotations

import json
from pathlib import Path

import measure_documents as script
import numpy as np
import pytest

from forest_align.aligners.documents.sentence_matches import SentenceMatches

from ..aligners.documents.toy_documents import document
from ..em.documents.test_training import VERSES, Encoder, pairs


def test_every_system_has_a_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text("".join(f"{' '.join(a)}\t{' '.join(b)}\n" for a, b in pairs(20)), encoding="utf-8")
    (tmp_path / "gum").mkdir()
    monkeypatch.setattr(script, "SentenceEncoder", Encoder)
    verses = tmp_path / "verses.jsonl"
    verses.write_text("".join(json.dumps(verse) + "\n" for verse in VERSES), encoding="utf-8")
    script.main([str(path), "--train", str(path), "--size", "8", "--verses", str(verses)])
    thresholds, _, _, header, _, *rows = capsys.readouterr().out.splitlines()
    assert thresholds.startswith("thresholds: greedy cosine 0.")
    assert header.split(" | ")[2:] == [
        "greedy cosine",
        "greedy, weighted",
        "mutual, weighted",
        "document aligner |",
    ]
    assert [row.split(" | ")[1].strip() for row in rows] == [
        "in order",
        "paragraphs",
        "shuffled",
        "in order",
        "",
    ]


def test_figures_are_counted_by_hand() -> None:
    total = script.counts({(0, 0), (1, 2), (2, 2)}, frozenset({(0, 0), (2, 2), (3, 3), (4, 4)}))
    assert total.tolist() == [2, 3, 4]
    assert script.scores(total) == pytest.approx((200 / 3, 50, 400 / 7))


def test_baselines_choose_what_they_say() -> None:
    similarity = np.array([[0.9, 0.2], [0.8, 0.3], [0.1, 0.2]])
    assert script.greedy(similarity, 0.5) == {(0, 0), (1, 0)}
    assert script.mutual(similarity, 0.5) == {(0, 0)}
    matches = SentenceMatches(document("a b", "c"), document("c", "a b"))
    plain = script.plain_cosine(matches)
    assert plain[0, 1] == pytest.approx(1) and plain[1, 0] == pytest.approx(1)
    assert script.ours(matches) == {(0, 1), (1, 0)}
