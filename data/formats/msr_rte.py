"""MSR's alignments of RTE-2 (Brockett 2007): one text file an annotator, and the majority of several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from forest_align.alignment import Links
from forest_align.data.corpora.retokenize import conform, move_links
from forest_align.data.formats.fields import need_links, split_sentence, tokens_of
from forest_align.data.formats.format import Format, SentencePair, Writer, reading_pair
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_HEADER = re.compile(r"#\s*sentence pair (\S+)\s*$")
_LINKS = "NULL ({"
_NUMBER = re.compile(r"0*[1-9]\d{0,8}")
# The public copy ends without its last bracket, hence the alternative.
_WORD = re.compile(r"([^ \t]+) \(\{([^/{}]*)/[^/{}]*/[^/{}]*\}(?:\)\s*|$)")


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs of one annotator.

    A pair has three lines: ``# sentence pair 1``, the source's tokens, and ``NULL ({ … }) word ({ 4 p5 / / })
    …``. The third line has the target's tokens with the numbers (from 1) of the source tokens linked to them;
    possible links have a ``p``. A broken pair becomes an InputError item.
    """
    for block, problem in _blocks(lines):
        begun = block[0][0] if block else lines.number
        try:
            yield replace(_pair(block, problem), place=(lines.name, begun))
        except InputError as error:
            yield error.at(file=lines.name, line=begun)


def _blocks(lines: InputLines) -> Iterator[tuple[list[tuple[int, str]], InputError | None]]:
    """The lines of each pair with their numbers, and an error if one of them is not UTF-8."""
    block, problem = [], None  # type: list[tuple[int, str]], InputError | None
    while True:
        try:
            line = next(lines, None)
        except InputError as error:
            problem = error
            continue
        if (line is None or _HEADER.match(line)) and (block or problem):
            yield block, problem
            block, problem = [], None
        if line is None:
            return
        if line.strip():
            block.append((lines.number, line))


def _pair(block: Sequence[tuple[int, str]], problem: InputError | None) -> SentencePair:
    header = _HEADER.match(block[0][1]) if block else None
    if header is None:
        raise problem or InputError(f"expected '# sentence pair NUMBER', found {block[0][1][:40]!r}")
    # The missing line may be that of the source.
    has_source = len(block) > 1 and not block[1][1].startswith(_LINKS)
    source = split_sentence(block[1][1] if has_source else "")
    with reading_pair(header[1], source.text):
        if problem is not None:
            raise problem
        if len(block) != 3:
            raise InputError(
                "expected three lines ('# sentence pair NUMBER', source, links), "
                f"found {len(block)}: {block[0][1][:40]!r}"
            )
    number, text = block[2]
    try:
        with reading_pair(header[1], source.text):
            words, links, sure = _read_links(text.strip())
        target = split_sentence(" ".join(words))
        with reading_pair(header[1], source.text, target.text):
            if not (source.tokens and target.tokens):
                raise InputError("expected a source and a target sentence, found nothing")
            for i, _ in links:
                if i >= len(source):
                    raise InputError(f"token number {i + 1} is out of range: the source has {len(source)}")
    except InputError as error:
        raise error.at(line=number) from None
    return SentencePair(header[1], source, target, Links.of(links, sure=None if all(sure) else sure))


def _read_links(text: str) -> tuple[list[str], list[tuple[int, int]], list[bool]]:
    """Target tokens, links and their classes of a line ``NULL ({ / / }) word ({ 4 p5 / / }) …``."""
    words: list[str] = []
    links, sure, end = [], [], 0
    for found in _WORD.finditer(text):
        if found.start() != end:
            break
        end = found.end()
        # The sentence may begin with a byte-order mark.
        words.append((found[1].lstrip("\ufeff") or found[1]) if len(words) == 1 else found[1])
        for item in found[2].split():
            is_sure, number = not item.startswith("p"), item.removeprefix("p")
            if not _NUMBER.fullmatch(number):
                raise InputError(f"expected a token number from 1 such as 4 or p4, found {item[:40]!r}")
            if len(words) > 1:
                links.append((int(number) - 1, len(words) - 2))
                sure.append(is_sure)
    if end != len(text) or words[:1] != ["NULL"]:
        found_text = text[end : end + 40] if end else text[:40]
        raise InputError(f"expected 'NULL ({{ / / }}) word ({{ 1 p2 / / }}) …', found {found_text!r}")
    return words[1:], links, sure


def majority(annotations: Sequence[Links]) -> Links:
    """Links on which more than half of the annotators agree.

    A link is sure if more than half call it sure, and possible if more than half call it possible. Otherwise
    (one says sure, one possible, one nothing) it is dropped.
    """
    votes: Counter[tuple[tuple[int, int], bool]] = Counter()
    for links in annotations:
        classes = links.sure or (True,) * len(links)
        votes.update(zip(links.pairs, classes, strict=True))
    kept = [vote for vote, count in votes.items() if 2 * count > len(annotations)]
    sure = [is_sure for _, is_sure in kept]
    return Links.of((pair for pair, _ in kept), sure=None if all(sure) else sure)


def majority_pairs(
    annotators: Sequence[Iterable[SentencePair | InputError]],
    published: Iterable[SentencePair | InputError] | None = None,
) -> Iterator[SentencePair | InputError]:
    """Merge the links of annotators of the same pairs, in the same order, see :func:`majority`.

    Other annotators' links are moved to the tokens of the first one's sentences, or to the ``published``
    ones, as :func:`forest_align.data.corpora.retokenize.conform` does. An error is yielded if a pair
    could not be read, has no links, or the ids differ.
    """
    files = annotators if published is None else [published, *annotators]
    for items in zip_longest(*files):
        broken = next((item for item in items if isinstance(item, InputError)), None)
        pairs = [item for item in items if isinstance(item, SentencePair)]
        if broken is not None:
            yield broken
            continue
        if len(pairs) < len(items) or len({pair.id for pair in pairs}) > 1:
            found = ", ".join(map(_named, pairs)) + (", the end of a file" if len(pairs) < len(items) else "")
            yield InputError(f"expected the same pair in all files, found {found}")
            continue
        first, voters = pairs[0], pairs[len(files) - len(annotators) :]
        if unlinked := [pair for pair in voters if pair.links is None or pair.error]:
            yield InputError(f"pair {_named(unlinked[0])} has no word links")
            continue
        links = majority([_moved(pair, first) for pair in voters])
        if published is not None:
            links = conform(links, first.source.words, first.target.words)
        # An alignment of the first annotator's pair would have only that annotator's links.
        yield replace(first, links=links, alignment=None)


def _named(pair: SentencePair) -> str:
    return repr(pair.id) if pair.place is None else f"{pair.id!r} in {pair.place[0]}:{pair.place[1]}"


def _moved(pair: SentencePair, to: SentencePair) -> Links:
    return move_links(
        pair.links or Links(),
        (pair.source.words, to.source.words),
        (pair.target.words, to.target.words),
    )


def matches(head: Sequence[str]) -> bool:
    """Whether the file begins like an annotator's file."""
    return bool(head) and _HEADER.match(head[0]) is not None


def _id(id: str) -> str:
    return "_".join(id.split()) or "-"


def _write_pair(pair: SentencePair) -> str:
    """Three lines."""
    links = need_links(pair, "msr-rte")
    classes = links.sure or (True,) * len(links)
    cells = [[] for _ in pair.target.tokens]  # type: list[list[str]]
    for (i, j), is_sure in zip(links.pairs, classes, strict=True):
        cells[j].append(f"{i + 1}" if is_sure else f"p{i + 1}")
    words = [
        f"{word} ({{ {''.join(f'{item} ' for item in cell)}/ / }}) "
        for word, cell in zip(pair.target.words, cells, strict=True)
    ]
    return f"# sentence pair {_id(pair.id)}\n{tokens_of(pair.source)} \nNULL ({{ / / }}) {''.join(words)}\n"


FORMAT = Format(
    "msr-rte",
    "annotator files of the MSR alignment of RTE-2",
    read,
    matches,
    writer=Writer(_write_pair, frozenset({"links", "possible links"}), id=_id),
)
