"""Prepares corpora as published papers did: other tokens, annotators' majority, joined names, true case."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, zip_longest

from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair, Span
from forest_align.types import InputError
from forest_align.types.brackets import BRACKETS

# Spellings of quotes: in treebanks and in ordinary text.
_QUOTES = (("``", '"'), ("''", '"'), ("`", "'"))


def _overlaps(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """For each old token the new tokens that share characters, in any spelling of quotes and brackets."""
    before, after = [_plain(word) for word in old], [_plain(word) for word in new]
    shared: list[set[int]] = [set() for _ in old]
    i_end = j_end = 0
    for i, j in [*_landmarks(before, after), (len(before), len(after))]:
        for left, right in _share_characters(before[i_end:i], after[j_end:j]):
            shared[i_end + left].add(j_end + right)
        if i < len(before):
            shared[i].add(j)
        i_end, j_end = i + 1, j + 1
    return [sorted(indices) for indices in shared]


def _landmarks(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Equal tokens in order, except punctuation next to a change, which may be part of the change."""
    size = len(before), len(after)
    for i, j, length in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        words = [k for k in range(length) if _is_word(before[i + k])]
        first = 0 if i == j == 0 else min(words, default=length)
        last = length if (i + length, j + length) == size else max(words, default=-1) + 1
        for k in range(first, last):
            yield i + k, j + k


def _share_characters(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Tokens that have a character in common."""
    owners_before = [index for index, word in enumerate(before) for _ in word]
    owners_after = [index for index, word in enumerate(after) for _ in word]
    matcher = SequenceMatcher(None, "".join(before), "".join(after), autojunk=False)
    for start, other, length in matcher.get_matching_blocks():
        for k in range(length):
            yield owners_before[start + k], owners_after[other + k]


def move_links(
    links: Links,
    source: tuple[Sequence[str], Sequence[str]],
    target: tuple[Sequence[str], Sequence[str]],
) -> Links:
    """Links between the new tokens that the linked old tokens became.

    Punctuation that was split off a word does not get the word's link, but a mark split off both words is
    linked. Similarly, a word that a mark was joined to does not get the mark's link.
    """
    left, right = _overlaps(*source), _overlaps(*target)
    return _moved_links(
        links,
        [
            (k, (a, b))
            for k, (i, j) in enumerate(links)
            for a in left[i]
            for b in right[j]
            if _is_kept((source[0][i], source[1][a]), (target[0][j], target[1][b]))
        ],
    )


def _moved_links(links: Links, moved: Sequence[tuple[int, tuple[int, int]]]) -> Links:
    """Links with new words, each with the place of the old link, whose class and score it keeps."""
    return Links.of(
        (pair for _, pair in moved),
        sure=links.sure and [links.sure[k] for k, _ in moved],
        scores=links.scores and [links.scores[k] for k, _ in moved],
    )


def _is_kept(source: tuple[str, str], target: tuple[str, str]) -> bool:
    """Whether a link holds between the new tokens, given as (old token, new token)."""
    changed = [_is_word(old) != _is_word(new) for old, new in (source, target)]
    if not any(changed):
        return True
    # Equal punctuation that was split off two linked words belongs together.
    return all(changed) and not _is_word(source[1]) and source[1] == target[1]


def _plain(word: str) -> str:
    word = BRACKETS.get(word, word)
    for quote, plain in _QUOTES:
        word = word.replace(quote, plain)
    return word


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in BRACKETS.get(token, token))


_WHOLE_NUMBER, _FRACTION = re.compile(r"\d+"), re.compile(r"\d+\\?/\d+")


def conform(links: Links, source: Sequence[str], target: Sequence[str]) -> Links:
    r"""Change links to match the published majority files of MSR-RTE.

    There are two rules besides moving links to new tokens. First, different marks of punctuation are never
    linked (a dash and a comma, an apostrophe and a possessive ``'s``). Second, Stanford's tokenizer treats a
    mixed number such as ``33 1\/3`` as one token. Links were numbered accordingly, but the files hold two
    tokens. Links after it are therefore one token too far left, except that of the last token.
    """
    left, right = _published_places(source), _published_places(target)
    moved = [(k, (left[i], right[j])) for k, (i, j) in enumerate(links)]
    return _moved_links(
        links,
        [
            (k, (i, j))
            for k, (i, j) in moved
            # Both are punctuation if they begin with it, as ``'s`` does.
            if source[i] == target[j] or source[i][0].isalnum() or target[j][0].isalnum()
        ],
    )


def _published_places(words: Sequence[str]) -> list[int]:
    """Positions of each token's links: token numbers that count mixed numbers as one."""
    seconds = [False] * len(words)
    for index in range(1, len(words)):
        pair = _WHOLE_NUMBER.fullmatch(words[index - 1]), _FRACTION.fullmatch(words[index])
        seconds[index] = all(pair)
    places = [index - behind for index, behind in enumerate(accumulate(seconds))]
    return [*places[:-1], *range(len(words))[-1:]]


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
    ones, as :func:`conform` does. An error is yielded if a pair could not be read, has no links, or the ids
    differ.
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


def collapse(words: Sequence[str], names: Sequence[Span]) -> tuple[tuple[str, ...], list[int]]:
    """Join the words of each name with underscores; also return the new token of each word.

    Names are half-open spans in order that do not overlap.
    """
    ends = dict(names)
    tokens: list[str] = []
    places: list[int] = []
    start = 0
    while start < len(words):
        end = ends.get(start, start + 1)
        places += [len(tokens)] * (end - start)
        tokens.append("_".join(words[start:end]))
        start = end
    return tuple(tokens), places


def collapsed_links(links: Links, source: Sequence[int], target: Sequence[int]) -> Links:
    """Links of the new tokens (see :func:`collapse`); a link is sure if one of its words' links is."""
    return Links.of([(source[i], target[j]) for i, j in links], sure=links.sure)


# A word after one of these begins a sentence too.
_BEGIN = frozenset({".", "!", "?", ":", ";", "``", "`", '"', "“", "‘", "-lrb-", "(", "--", "..."})


@dataclass(frozen=True, slots=True)
class Truecaser:
    """The usual form of each lower-cased word where the sentence does not ask for a capital.

    Of equally frequent forms, the first in the order of characters.
    """

    forms: dict[str, str]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Truecaser:
        """Count the forms of words inside sentences; sentences in capitals say nothing."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for words in sentences:
            if _in_capitals(words):
                continue
            for place, word in enumerate(words):
                if not _begins(words, place):
                    counts[word.lower()][word] += 1
        return cls({word: min(of, key=lambda form: (-of[form], form)) for word, of in counts.items()})

    def apply(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of a sentence in their usual forms.

        Only words at beginnings change, and all words of a sentence in capitals. Words that were never seen
        stay as they are; in a sentence in capitals they become small. Names of brackets (``-LRB-``) never
        change, nor do words with a capital after the first letter (*US*) in other sentences.
        """
        capitals = _in_capitals(words)
        return tuple(
            self.forms.get(word.lower(), word.lower() if capitals else word)
            if word[0].isalnum() and (capitals or (_begins(words, place) and _is_plain(word)))
            else word
            for place, word in enumerate(words)
        )


def _begins(words: Sequence[str], place: int) -> bool:
    """Whether all that stands before a word is punctuation, or a mark after which sentences begin."""
    return words[place - 1].lower() in _BEGIN or not any(map(_has_letter, words[:place])) if place else True


def _in_capitals(words: Sequence[str]) -> bool:
    letters = [letter for word in words for letter in word if letter.isalpha()]
    return len(letters) > 1 and all(letter.isupper() for letter in letters)


def _has_letter(word: str) -> bool:
    return any(letter.isalnum() for letter in word) and not word.startswith("-")


def _is_plain(word: str) -> bool:
    """Whether a word has no capital after its first letter."""
    return not any(letter.isupper() for letter in word[1:])
