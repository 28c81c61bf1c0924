from __future__ import annotations

import pytest

from forest_align.cli.commands.licences import bundled_parts

from ...command_line import CommandLine


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_every_part_source_and_required_package_is_printed(cli: CommandLine) -> None:
    assert cli("licences") == 0
    printed = cli.out
    first = {line.split("  ")[0] for line in printed.splitlines()}
    known = bundled_parts()
    sources = {source.title for source in known.sources.values()}
    assert first >= {*known.parts, *sources, "nltk", "torch"}
    (torch,) = [line for line in printed.splitlines() if line.startswith("torch ")]
    assert "BSD-3-Clause" in torch
    assert "matplotlib" not in first  # of an extra


def test_one_part_is_printed_with_all_that_it_depends_on(cli: CommandLine) -> None:
    assert cli("licences", "semi-markov") == 0
    lines = cli.out.splitlines()
    table = lines[: lines.index("")]
    assert [line for line in table if line[0] != " "] == ["semi-markov", "en", "lexicon", "vectors"]
    assert "commercial use: unclear; because of: MSR-RTE, word alignment of RTE-2" in table[1]
    assert "MSR-RTE, word alignment of RTE-2" in lines and "MultiMWA-Wiki" not in lines


@pytest.mark.parametrize("part", ["en", "semi-markov", "paraphrases"])
def test_the_last_sentence_says_what_a_company_may_do(part: str, cli: CommandLine) -> None:
    assert cli("licences", part) == 0
    sentence = " ".join(cli.out.rpartition("\n\n")[2].split())
    says = {
        "yes": "may use ",
        "unclear": " if the sources that state no terms allow it",
        "no": "may not use ",
    }
    answers = {bundled_parts().commercial(name) for name in bundled_parts().behind(part)}
    assert sentence.startswith("By the terms of the sources, a company may ")
    assert {answer for answer, text in says.items() if text in sentence} == answers
    assert all(name in sentence for name in bundled_parts().behind(part))


def test_markdown_has_a_row_for_each_part(cli: CommandLine) -> None:
    assert cli("licences", "vectors", "--to", "markdown") == 0
    lines = cli.out.splitlines()
    assert lines[:3] == [
        "| part | what it is | licence | commercial use | because of |",
        "| --- | --- | --- | --- | --- |",
        "| vectors | encoder of the word vectors, which the parser reads | Apache-2.0 | yes |  |",
    ]
    assert lines[6].startswith("| all-mpnet-base-v2, an encoder | Apache-2.0 | yes | https://")


def test_an_unknown_part_is_refused_with_the_known_ones(cli: CommandLine) -> None:
    assert cli("licences", "de") == 2 and "no part 'de'; expected code, lexicon" in cli.err
