"""Lengths of sentences, on a page with everything that is no prose."""

from __future__ import annotations

from pathlib import Path

import measure_prose as script
import pytest

PAGE = """# A heading. It does not count

One two [three four](five.md "six") `seven. Eight nine` ten. Second (of 0.5 to
1.5) here! See Yao et al. 2013 and `load("x")`.

- An item without a stop
- *Another.* It has two
  sentences

    indented code. It does not count

    still code

| a table | is none |
|---|---|

```python
print("Code. More code.")
```
Last – one?
"""


def test_only_prose_is_split_into_sentences() -> None:
    assert list(script.sentences(PAGE)) == [
        "One two three four `seven. Eight nine` ten.",
        "Second (of 0.5 to 1.5) here!",
        'See Yao et al. 2013 and `load("x")`.',
        "An item without a stop",
        "It has two sentences",
        "Last – one?",
    ]
    assert [script.length(one) for one in script.sentences(PAGE)] == [6, 6, 7, 5, 4, 2]


def test_rows_have_the_share_of_long_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "long.md").write_text("word " * 41 + "end. It is long.\n\n- " + "word " * 26)
    script.main([str(tmp_path), "--list", "1"])
    head, one, every, *longest = capsys.readouterr().out.splitlines()
    assert head.split() == ["page", "sentences", "mean", ">25", ">40"]
    assert one.split()[1:] == ["3", "23.7", "66.7", "33.3"]
    assert every.split() == ["all", *one.split()[1:]]
    assert longest[1].startswith("42 ")
