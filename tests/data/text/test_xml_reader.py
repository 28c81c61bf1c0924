"""XML that means harm, or is only unusual: what the one reader of all formats refuses, and what it costs."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from forest_align.data.formats import rte
from forest_align.data.formats.format import SentencePair
from forest_align.data.text.xml_reader import MAX_DEPTH, XmlReader, read_document
from forest_align.data.trees.enju import read_enju
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.types import InputError

from ..pair_files import read, written


class Told:
    """What a handler is told, with texts joined; `count` is the number of characters."""

    def __init__(self) -> None:
        self.elements: list[tuple[str, dict[str, str], int]] = []
        self.ended: list[str] = []
        self.text: list[str] = []

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.elements.append((tag, attributes, line))

    def end(self, tag: str) -> None:
        self.ended.append(tag)

    def data(self, text: str) -> None:
        self.text.append(text)


def told(text: str, root: str = "", lines: bool = False) -> Told:
    handler = Told()
    if not lines:
        read_document(text, handler, root)
        return handler
    reader = XmlReader(handler, root)
    for line in text.splitlines(keepends=True):
        reader.feed(line)
    reader.close()
    return handler


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize(
    "before",
    [
        "",
        "\ufeff",
        '<?xml version="1.0"?>',
        '\ufeff<?xml version="1.0" encoding="latin1" standalone="no"?>\n',
        '\n \n<?xml version="1.0"\n encoding="x"\n?>\n',
        "<!-- <?xml ?> -->\n<?other thing?>\n",
        '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "/etc/passwd">\n',
        '<!DOCTYPE a PUBLIC "-//X//Y" "http://localhost:9/x.dtd">',
    ],
)
def test_elements_are_told_with_their_lines_whatever_is_before_them(before: str, lines: bool) -> None:
    found = told(f'{before}<a x="&lt;é&#233;">\n1<b/>&amp;2</a>\n', lines=lines)
    line = before.count("\n") + 1
    assert found.elements == [("a", {"x": "<éé"}, line), ("b", {}, line + 1)]
    assert (found.ended, "".join(found.text)) == (["b", "a"], "\n1&2")


@pytest.mark.parametrize("lines", [False, True])
def test_a_root_is_put_around_a_document_with_several(lines: bool) -> None:
    found = told('<?xml version="1.0"?>\n<a/>\n<b>x</b>\n', "all", lines)
    assert found.elements == [("a", {}, 2), ("b", {}, 3)]
    assert (found.ended, "".join(found.text).split()) == (["a", "b"], ["x"])


LAUGHS = (
    "<!DOCTYPE x [\n"
    + '<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))
    + "]>"
)
HOSTILE = {
    "billion laughs": (LAUGHS, "&a9;"),
    "quadratic blow-up": (f'<!DOCTYPE x [<!ENTITY a "{"A" * 50_000}">]>', "&a;" * 10_000),
    "external entity": ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "&a;"),
    "parameter entity": ('<!DOCTYPE x SYSTEM "a.dtd" [<!ENTITY % a SYSTEM "b.dtd"> %a;]>', "text"),
    "attribute list": ('<!DOCTYPE x [<!ATTLIST t a CDATA "b">]>', "text"),
    "entity of a file of declarations": ('<!DOCTYPE x SYSTEM "a.dtd">', "&a;"),
    "entity without declaration": ("", "&a;"),
    "deep nesting": ("", "<b>" * 100_000 + "</b>" * 100_000),
}
MESSAGE = "document type|an entity that XML does not define|elements inside one another"


@pytest.mark.parametrize(("before", "text"), HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_documents_are_refused_by_every_reader(before: str, text: str, tmp_path: Path) -> None:
    for place in (f"<x>{text}</x>", f'<x y="{text}"/>' if "<" not in text else f"<x>{text}</x>"):
        with pytest.raises(InputError, match=MESSAGE) as refused:
            told(before + place)
        assert refused.value.line is not None and refused.value.line <= 2
    good = '<pair id="1"><t>a</t><h>b</h></pair>'
    body = f'<entailment-corpus>{good}<pair id="2"><t>{text}</t><h>c</h></pair></entailment-corpus>'
    *pairs, error = read(tmp_path, before + body, "rte")
    assert isinstance(error, InputError) and str(error).startswith(f"{tmp_path / 'file'}:")
    # What was before it is read, if it was not refused at the head.
    assert [pair.id for pair in pairs if isinstance(pair, SentencePair)] in ([], ["1"])
    if not text.startswith("text"):
        path = written(tmp_path / "x.xml", f"{before}<sentence>{text}</sentence>")
        with pytest.raises(InputError, match=MESSAGE) as refused:
            read_enju(path)
        assert refused.value.file == str(path)
        packed = gzip.compress(f'{before}<tree style="penn">{text}</tree>'.encode())
        path = written(tmp_path / "x.xml.gz", packed)
        with pytest.raises(InputError, match=MESSAGE) as refused:
            StanfordParses.read(path)
        assert refused.value.file == str(path)


def test_elements_may_be_nested_up_to_the_limit() -> None:
    assert len(told("<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH).elements) == MAX_DEPTH
    assert len(told("<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH, "all").elements) == MAX_DEPTH
    with pytest.raises(InputError, match="line 2: expected at most 10,000 elements inside one another"):
        told("\n" + "<a>" * (MAX_DEPTH + 1))


class Counting:
    """An expat parser that counts the bytes it has to look at again."""

    def __init__(self, parser: Any) -> None:
        self.__dict__.update(parser=parser, looked_at=0, fed=0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parser, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.parser, name, value)

    def Parse(self, data: bytes, is_end: bool) -> None:  # noqa: N802
        self.__dict__["fed"] += len(data)
        # All that is not known to be a whole token is read again.
        self.__dict__["looked_at"] += self.fed - max(0, self.parser.CurrentByteIndex)
        self.parser.Parse(data, is_end)


@pytest.mark.parametrize("begin, end", [('<a x="', '"/>'), ("<a><!--", "--></a>"), ("<a><?b ", "?></a>")])
def test_a_token_over_many_lines_is_not_read_again_at_each_of_them(begin: str, end: str) -> None:
    lines = [begin, *["y\n"] * 20_000, end]
    reader = XmlReader(Told())
    counting = Counting(reader._parser)
    reader._parser = counting  # type: ignore[assignment]
    for line in lines:
        reader.feed(line)
    reader.close()
    # Read again at every line, it would be 400 million.
    assert counting.looked_at < 10 * sum(map(len, lines))


def test_the_parts_of_a_text_are_joined_once() -> None:
    pairs = rte._Pairs()
    reader = XmlReader(pairs)
    reader.feed('<entailment-corpus><pair id="1"><t>')
    tracemalloc.start()
    for _ in range(50_000):
        reader.feed("y&amp;<b>z</b>\n")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    reader.feed("</t><h>x</h></pair></entailment-corpus>")
    reader.close()
    (draft,) = pairs.ended
    assert draft.text("t") == "y&z " * 49_999 + "y&z"
    assert len(draft.parts["t"]) >= 50_000  # parts, not a text that grows
    assert taken < 400 * 50_000
