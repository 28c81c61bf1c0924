from __future__ import annotations

import shutil
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import draw_picture
import pytest

from forest_align.alignment import Alignment, Links
from forest_align.types import Sentence


def align(source: str, target: str) -> Alignment:
    sides = (Sentence.from_words(text.split()) for text in (source, target))
    return Alignment(*sides, Links.of([(0, 0)]), aligner="fake")


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(
        draw_picture, "load", lambda name, **_: names.append(name) or SimpleNamespace(align=align)
    )
    return names


def draw(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> None:
    monkeypatch.setattr("sys.argv", ["draw_picture.py", *map(str, arguments)])
    draw_picture.main()


def test_a_picture_is_drawn_by_the_aligner_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    out = tmp_path / "out.svg"
    draw(monkeypatch, "one", "two", out, "--aligner", "contextual")
    assert ElementTree.parse(out).getroot().tag.endswith("svg") and loaded == ["contextual"]


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs a browser: apt-get install chromium")
def test_a_photograph_has_the_size_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    out = tmp_path / "out.png"
    draw(monkeypatch, "one", "two", out, "--beside", "sultan", "--size", "700x500")
    assert loaded == ["forest", "sultan"]
    assert struct.unpack(">II", out.read_bytes()[16:24]) == (700, 500)
