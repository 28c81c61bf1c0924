"""``forest-align train``: which module trains what, and what the help and errors say."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.cli import main
from forest_align.cli.commands.train import TRAINERS
from forest_align.cli.corpora import check_model_folder
from forest_align.types import InputError


def test_each_aligner_explains_its_training_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for aligner in sorted(TRAINERS):
        with pytest.raises(SystemExit) as stop:
            main(["train", aligner, "--help"])
        assert stop.value.code == 0
        out = capsys.readouterr().out
        assert f"forest-align train {aligner}" in out.split("example")[1] and "--debug" in out


@pytest.mark.parametrize("arguments", [["--debug", "forest"], ["forest", "--debug"]])
def test_a_traceback_is_shown_wherever_debug_stands(arguments: list[str], tmp_path: Path) -> None:
    from forest_align.types import InputError

    with pytest.raises(InputError):
        main(["train", *arguments, f"{tmp_path}/absent.tsv", "-o", ".."])


@pytest.mark.parametrize("aligner", ["semi-markov", "joint"])
def test_gold_whose_links_are_all_possible_is_refused_before_anything_is_parsed(
    aligner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("forest_align.parsing.load_parser_for_alignment", None)
    gold = tmp_path / "gold.tsv"
    gold.write_text("1\ta dog\tN/A\tthe dog\tN/A\t1\t1\t\t1-1\t\n")
    assert main(["train", aligner, str(gold), "-o", str(tmp_path / "model")]) == 2
    assert f"{gold}: expected sure links, found possible ones alone" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


def test_where_no_model_can_be_written_nothing_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_model_folder(tmp_path / "new" / "folders" / "model")
    check_model_folder(tmp_path)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(InputError, match=r"can be written to, found .*file'"):
        check_model_folder(tmp_path / "file" / "model")
    # The tests may run as a user who may write anywhere.
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    for path in (tmp_path, tmp_path / "model", tmp_path / "new" / "model"):
        with pytest.raises(InputError, match="expected a folder that can be written to"):
            check_model_folder(path)
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path.parent)
    check_model_folder(tmp_path, beside=False)
    with pytest.raises(InputError, match="expected a folder that can be written to"):
        check_model_folder(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ["train", "forest", "--epochs"],
        ["train", "forest", "--workers"],
        ["train", "joint", "--epochs"],
        ["tune", "--trials"],
        ["tune", "--forest-sizes"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("count", ["0", "2147483648", "9" * 5000, "1.0"], ids=lambda text: text[:12])
def test_nothing_to_do_is_refused_and_so_is_too_much(
    command: list[str], count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No epochs at all ended well, without a model; 10 ** 23 of anything in a Python error."""
    with pytest.raises(SystemExit, match="2"):
        main([*command, count, "pairs.tsv", "-o", "model"])
    expected = f"{command[-1]}: expected a whole number from 1 to 2147483647, found '{count}'"
    assert expected in capsys.readouterr().err
