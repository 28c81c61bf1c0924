"""The features of the semi-Markov aligner by their names, one pair at a time: what the tests compare with."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from forest_align.aligners.contextual.features import word_features
from forest_align.aligners.semi_markov._sentence_arrays import TAGS, tag_chunks
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, LatticeOptions
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.groups import lexical_groups
from forest_align.lexicon.lexicon import Evidence, Lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.lexicon.written_forms import name_similarity
from forest_align.types import Sentence

from ...cext.reference.string_similarity_reference import string_similarities

KINDS = ("content", "function", "punctuation")
SIMILARITIES = (
    "Jaro-Winkler",
    "Dice",
    "Hamming",
    "Jaccard",
    "Levenshtein",
    "trigram overlap",
    "common prefix",
)
RELATIONS = (
    *("SPELLING", "NUMBER", "ABBREVIATION", "SYNONYM", "DERIVATION", "SUFFIX", "SUBSTRING", "PREPOSITION"),
    *("FUNCTION", "ACRONYM"),
)


class Side:
    """One sentence."""

    def __init__(self, sentence: Sentence) -> None:
        kinds, capital, self.letters, self.ends = word_features(sentence)
        self.words = sentence.words
        self.kinds = [KINDS[kind] for kind in kinds]
        self.capital = [bool(value) for value in capital]
        self.tags = [tag if tag in TAGS else "other" for tag in sentence.tags]
        self.chunks = {(start, end): name for start, end, name in tag_chunks(sentence.tags)}

    def __len__(self) -> int:
        return len(self.words)

    def chunk(self, start: int, end: int) -> str:
        """Type of the chunk with this span."""
        return self.chunks.get((start, end), "none")

    def boundaries(self, start: int, end: int) -> int:
        """Between how many neighbours in the span one chunk, or word outside chunks, ends."""
        together = {k for left, right in self.chunks for k in range(left, right - 1)}
        return sum(k not in together for k in range(start, end - 1))


class PlainPair:
    """A sentence pair; methods give features by name."""

    def __init__(
        self,
        source: Sentence,
        target: Sentence,
        lexicon: Lexicon,
        ppdb: PairTable | None = None,
        options: LatticeOptions = DEFAULT_OPTIONS,
    ) -> None:
        self.longest, self.resources = options.longest, options.resources
        self.pair, self.lexicon, self.ppdb = (source, target), lexicon, ppdb
        self.source, self.target = Side(source), Side(target)
        self.evidence = lexical_evidence(source, target, lexicon, ppdb)
        self.groups = lexical_groups(source, target, lexicon, ppdb)
        self.similar = string_similarities(
            self.source.letters, self.source.ends, self.target.letters, self.target.ends
        )

    def same(self, i: int, j: int) -> bool:
        """Whether the words have one form or lemma; False outside of the sentences."""
        if not (0 <= i < len(self.source) and 0 <= j < len(self.target)):
            return False
        return bool(self.evidence[i, j] & (Evidence.IDENTICAL | Evidence.LEMMA))

    def related(self, i: int, j: int, name: str) -> bool:
        paraphrase = Evidence.PPDB if name == "SYNONYM" else 0
        return bool(self.evidence[i, j] & (Evidence[name] | paraphrase))

    def alike(self, i: int, j: int) -> bool:
        """Whether other words are related, or spelled alike."""
        if not (0 <= i < len(self.source) and 0 <= j < len(self.target)) or self.same(i, j):
            return False
        related = any(self.related(i, j, name) for name in RELATIONS if name != "PREPOSITION")
        related |= "groups" in self.resources and self.same_place(i, j)
        return related or bool(self.similar[1, i, j] >= np.float32(0.65))

    def known(self, i: int, j: int) -> bool:
        return self.same(i, j) or self.alike(i, j)

    def tagged_the_same(self, i: int, j: int) -> bool:
        inside = 0 <= i < len(self.source) and 0 <= j < len(self.target)
        return inside and self.source.tags[i] == self.target.tags[j]

    def distance(self, i: int, j: int) -> float:
        return abs((i + 0.5) / len(self.source) - (j + 0.5) / len(self.target))

    def rivals(self, i: int, j: int) -> list[tuple[int, int]]:
        """Other cells of the row and of the column whose words are the same."""
        row = [(i, k) for k in range(len(self.target)) if k != j]
        column = [(k, j) for k in range(len(self.source)) if k != i]
        return [cell for cell in row + column if self.same(*cell)]

    def word_class(self, i: int, j: int) -> str:
        kinds = {self.source.kinds[i], self.target.kinds[j]}
        if "punctuation" in kinds:
            return "same punctuation" if self.same(i, j) else "with punctuation"
        content, function = kinds == {"content"}, kinds == {"function"}
        if self.same(i, j):
            return "same content word" if content else "same function word"
        if self.alike(i, j):
            return "alike content words" if content else "alike, with a function word"
        if content or function:
            return "two content words" if content else "two function words"
        return "content and function word"

    def word(self, i: int, j: int) -> dict[str, float]:
        n, m = len(self.source), len(self.target)
        same, first, last = self.same(i, j), i == j == 0, (i, j) == (n - 1, m - 1)
        left, right = self.same(i - 1, j - 1), self.same(i + 1, j + 1)
        around = sum(
            self.same(k, x) and self.source.kinds[k] == self.target.kinds[x] == "content"
            for k in range(max(i - 3, 0), min(i + 4, n))
            for x in range(max(j - 3, 0), min(j + 4, m))
            if k != i and x != j
        )
        rivals = self.rivals(i, j)
        nearest = all(self.distance(i, j) <= self.distance(*cell) for cell in rivals)
        return {
            "bias": 1,
            "identical": self.source.words[i] == self.target.words[j],
            "same lemma only": same and not self.evidence[i, j] & Evidence.IDENTICAL,
            **{name.lower(): self.related(i, j, name) for name in RELATIONS},
            **dict(zip(SIMILARITIES, self.similar[:, i, j].tolist(), strict=True)),
            "same tag": self.tagged_the_same(i, j),
            "same coarse tag": self.source.tags[i][:2] == self.target.tags[j][:2],
            "both capitalised": self.source.capital[i] and self.target.capital[j],
            "distance from diagonal": self.distance(i, j),
            "distance from diagonal, squared": self.distance(i, j) ** 2,
            "both first": first,
            "both last": last,
            "only one first or last": (i in (0, n - 1) or j in (0, m - 1)) and not first and not last,
            "same at left": left,
            "same at right": right,
            "same on both sides": left and right,
            "same at second left": self.same(i - 2, j - 2),
            "same at second right": self.same(i + 2, j + 2),
            "alike at left": self.alike(i - 1, j - 1),
            "alike at right": self.alike(i + 1, j + 1),
            "same tag at left": self.tagged_the_same(i - 1, j - 1),
            "same tag at right": self.tagged_the_same(i + 1, j + 1),
            "same content words around": min(around, 3) / 3,
            "same word elsewhere in source": min(sum(self.same(k, j) for k in range(n) if k != i), 3),
            "same word elsewhere in target": min(sum(self.same(i, k) for k in range(m) if k != j), 3),
            "nearest to diagonal of the same words": same and bool(rivals) and nearest,
            "same at left, of the same words elsewhere": same
            and any(self.same(k - 1, x - 1) for k, x in rivals),
            "same at right, of the same words elsewhere": same
            and any(self.same(k + 1, x + 1) for k, x in rivals),
        }

    def phrase(self, start: int, end: int, first: int, last: int) -> dict[str, float]:
        size, width = end - start, last - first
        longer, total = max(size, width), size + width
        ours, theirs = range(start, end), range(first, last)

        def counted(holds: Callable[[int, int], bool], inside: bool = True) -> tuple[list[int], list[int]]:
            """Words of either phrase for which it holds with one of the other phrase (or sentence)."""
            others = theirs if inside else range(len(self.target))
            mine = ours if inside else range(len(self.source))
            return (
                [i for i in ours if any(holds(i, j) for j in others)],
                [j for j in theirs if any(holds(i, j) for i in mine)],
            )

        same, known, anywhere = counted(self.same), counted(self.known), counted(self.same, inside=False)
        dice = self.similar[1, start:end, first:last]
        lone = {
            f"{kind} {'words ' * (kind != 'punctuation')}of {name} without match": sum(
                side.kinds[k] == kind for k in words if k not in found
            )
            for kind in KINDS
            for name, side, words, found in (
                ("source", self.source, ours, known[0]),
                ("target", self.target, theirs, known[1]),
            )
        }
        steps = range(longer) if size == width else range(0)
        in_order = sum(self.same(start + k, first + k) for k in steps)
        types = self.source.chunk(start, end), self.target.chunk(first, last)
        both = "none" not in types
        kinds = {kind for *spans, kind in self.groups if spans == [(start, end), (first, last)]}
        middles = (start + end) / 2 / len(self.source), (first + last) / 2 / len(self.target)
        left, right = self.same(start - 1, first - 1), self.same(end, last)
        return {
            "bias": 1,
            **{
                f"{a} to {b}": (a, b) == (min(size, 3), min(width, 3))
                for a in (1, 2, 3)
                for b in (1, 2, 3)
                if (a, b) != (1, 1)
            },
            "same words by length": longer * sum(map(len, same)) / total,
            "alike words by length": longer * (sum(map(len, known)) - sum(map(len, same))) / total,
            "Dice by length": longer * float(dice.max(1).sum() + dice.max(0).sum()) / total,
            "every source word the same": len(same[0]) == size,
            "every target word the same": len(same[1]) == width,
            "every source word alike": len(known[0]) == size,
            "every target word alike": len(known[1]) == width,
            **lone,
            "same words in order": in_order,
            "all the same words in order": in_order == longer,
            "all alike words in order": sum(self.known(start + k, first + k) for k in steps) == longer,
            "same tags in order by length": sum(self.tagged_the_same(start + k, first + k) for k in steps),
            "source is a chunk": types[0] != "none",
            "target is a chunk": types[1] != "none",
            "both are chunks": both,
            "chunks of one type": both and types[0] == types[1],
            "chunks of the same words in order": both and in_order == longer,
            "chunk boundaries inside source": self.source.boundaries(start, end),
            "chunk boundaries inside target": self.target.boundaries(first, last),
            "acronym by length": longer * ("acronym" in kinds),
            "synonyms by length": longer * bool(kinds & {"collocation", "ppdb"}),
            "joined by length": longer * ("joined" in kinds),
            "distance from diagonal by length": longer * abs(middles[0] - middles[1]),
            "same at left": left,
            "same at right": right,
            "same on both sides": left and right,
            "first words the same": self.same(start, first),
            "last words the same": self.same(end - 1, last - 1),
            "source words the same as others outside": len(anywhere[0]) - len(same[0]),
            "target words the same as others outside": len(anywhere[1]) - len(same[1]),
        }

    def phrase_class(self, start: int, end: int, first: int, last: int) -> str:
        if end - start == last - first:
            return "equally long"
        return "longer source" if end - start > last - first else "longer target"

    def null(self, i: int) -> dict[str, float]:
        n, m = len(self.source), len(self.target)

        def found(k: int) -> int:
            return sum(self.same(k, j) for j in range(m))

        def content(k: int) -> bool:
            return 0 <= k < n and self.source.kinds[k] == "content" and found(k) > 0

        return {
            "bias": 1,
            "same word in target": found(i) > 0,
            "several same words in target": found(i) > 1,
            "alike word in target": any(self.alike(i, j) for j in range(m)),
            "best Dice": float(self.similar[1, i].max()),
            "capitalised": self.source.capital[i],
            "first": i == 0,
            "last": i == n - 1,
            "same word at left in target": content(i - 1),
            "same word at right in target": content(i + 1),
            "share of the target in both lengths": m / (n + m),
        }

    def above(self, i: int, j: int, steps: int, target_is_above: bool) -> bool:
        """Whether a sense of one word is so many steps above one of the other, by plain walks."""
        sides = [
            set() if profile.is_function else set(self.lexicon.senses(profile.lemma, sentence.tags[at]))
            for sentence, at in zip(self.pair, (i, j), strict=True)
            for profile in [self.lexicon.profiles(sentence)[at]]
        ]
        low, high = sides if target_is_above else sides[::-1]
        for _ in range(steps):
            low = {above for sense in low for above in self.lexicon.store.hypernyms(sense)}
        return not low.isdisjoint(high) and not self.evidence[i, j] & Evidence.LEMMA

    def same_place(self, i: int, j: int) -> bool:
        """Whether the words stand at the same place of two groups that the lexicon or the table pairs."""
        return any(
            i - a[0] == j - b[0] and a[0] <= i < a[1] and a[1] - a[0] == b[1] - b[0]
            for a, b in self.groups_of_several_words()
        )

    def groups_of_several_words(self) -> set[tuple[tuple[int, int], tuple[int, int]]]:
        return {(one, two) for one, two, _ in self.groups if one[1] - one[0] > 1 and two[1] - two[0] > 1}

    def more_of_word(self, i: int, j: int) -> dict[str, float]:
        """Further features of a word pair, but part and consequence."""

        def nearest(target_is_above: bool) -> float:
            steps = (k for k in (1, 2, 3) if self.above(i, j, k, target_is_above))
            return 1 / next(steps, np.inf)

        is_name = all(
            side.tags[k] in ("NNP", "NNPS")
            for side, k in zip((self.source, self.target), (i, j), strict=True)
        )
        one, two = self.source.words[i], self.target.words[j]
        forward, backward = self.ppdb.scores(one.lower(), two.lower()) if self.ppdb else (0.0, 0.0)
        return {
            "more general": nearest(target_is_above=False),
            "more special": nearest(target_is_above=True),
            "similar names": name_similarity(one, two) if is_name and not self.same(i, j) else 0,
            "same place in groups of several words": self.same_place(i, j),
            "paraphrase score of target given source": forward,
            "paraphrase score of source given target": backward,
        }

    def more_of_phrase(self, start: int, end: int, first: int, last: int) -> dict[str, float]:
        longer = max(end - start, last - first)
        one, two = (
            " ".join(side.words[a:b]).lower()
            for side, a, b in ((self.source, start, end), (self.target, first, last))
        )
        forward, backward = self.ppdb.scores(one, two) if self.ppdb else (0.0, 0.0)
        known = ((start, end), (first, last)) in self.groups_of_several_words()
        return {
            "synonyms of several words each by length": longer * known,
            "paraphrase score of target given source by length": longer * forward,
            "paraphrase score of source given target by length": longer * backward,
        }

    def null_phrase(self, start: int, end: int) -> dict[str, float]:
        chunks = {edge for span in self.source.chunks for edge in span}
        inside = {k for a, b in self.source.chunks for k in range(a + 1, b)}
        edges = chunks | (set(range(len(self.source) + 1)) - inside)
        return {
            "two words": end - start == 2,
            "more than two words": end - start > 2,
            "words beyond two": end - start - 2,
            **{
                f"is a chunk: {name}": self.source.chunk(start, end) == name
                for name in ("NP", "VP", "ADVP", "ADJP")
            },
            "begins where a chunk begins, ends where one ends": {start, end} <= edges,
            "chunk boundaries inside": self.source.boundaries(start, end),
            "words in the target": sum(
                any(self.same(i, j) for j in range(len(self.target))) for i in range(start, end)
            ),
        }

    def phrases(self) -> Iterable[tuple[int, int, int, int]]:
        """Spans of all phrase pairs that may be aligned."""
        pairs = {tuple(spans) for *spans, _ in self.groups}
        n, m = len(self.source), len(self.target)
        for start in range(n):
            for end in range(start + 1, min(start + self.longest[0], n) + 1):
                for first in range(m):
                    for last in range(first + 1, min(first + self.longest[1], m) + 1):
                        cells = ((i, j) for i in range(start, end) for j in range(first, last))
                        listed = ((start, end), (first, last)) in pairs
                        if end - start + last - first > 2 and (listed or any(self.known(*c) for c in cells)):
                            yield start, end, first, last


def transition_name(before: int | None, place: int | None) -> str:
    """Class of going on at a target word after another one; None is null, -1 the beginning."""
    if before is None or place is None:
        names = {(True, True): "from null to null", (True, False): "from null"}
        return names.get((before is None, place is None), "beginning at null" if before == -1 else "to null")
    if before == -1:
        names_at = ("beginning at the first word", *["beginning at the second or third"] * 2)
        return names_at[place] if place < 3 else "beginning farther on"
    step = place - before - 1
    if step in (0, -1):
        return "on the spot" if step else "to the next"
    way, far = ("over", step) if step > 0 else ("back by", -step - 1)
    if far >= 10:
        return f"{way} 10 or more"
    return f"{way} {far if far < 4 else '4 or 5' if far < 6 else '6 to 9'}"


def ending_name(last: int | None, columns: int) -> str:
    """Class of ending after a target word; None is null."""
    if last is None:
        return "ending at null"
    names = ("ending at the last word", "ending at the last but one")
    return names[columns - 1 - last] if columns - last <= 2 else "ending before"
