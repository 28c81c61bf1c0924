"""Splits a tagged sentence into noun phrases, verb groups and single words, with the heads of the phrases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: Tags of nouns.
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
#: Words that may be particles of verbs.
PARTICLES = frozenset(
    {
        *("up", "off", "in", "on", "down", "out", "away", "over", "back", "through", "apart", "aside"),
        *("along", "around", "together", "about", "forward"),
    }
)
_HEADS = NOUNS | {"CD", "$"}
_PRONOUNS = frozenset({"PRP", "EX"})
_ARTICLES = frozenset({"DT", "PDT", "PRP$"})
_BEGIN = _HEADS | _ARTICLES | {"JJ", "JJR", "JJS"}
_PARTICIPLES = frozenset({"VBN", "VBG"})
_INSIDE = _BEGIN | _PARTICIPLES | {"HYPH"}
_OBJECTS = _BEGIN | _PRONOUNS | {"VBG"}
_BEHIND_PARTICIPLE = _INSIDE - _ARTICLES
_BEFORE_VERB = _HEADS | _PRONOUNS | {"MD", "TO"}
_VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_BE = frozenset(
    {"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m", "get", "gets", "got"}
)
_AUXILIARIES = _BE | {"have", "has", "had", "having", "'ve", "'d", "do", "does", "did", "can", "will", "'ll"}
_HOURS = frozenset({"a.m.", "p.m.", "a.m", "p.m", "am", "pm"})
_KINDS = {"CC": "and", ",": "comma", ".": "stop", ":": "stop", "``": "quote", "''": "quote"}


class Chunk(NamedTuple):
    """A part of a sentence."""

    # `noun` (phrase), `verb` (group), `to` (before a verb), `preposition`, `relative`, `and`, `comma`,
    # `particle`, `quote`, `stop`, `word` or, behind the last word, `end`
    kind: str
    head: int  # Place of the head of a noun phrase, of the main verb of a group, or of the word
    is_passive: bool = False  # Of a verb group in the passive
    is_participle: bool = False  # Of a verb group that is a past participle alone


class Chunker:
    """Splits one sentence."""

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words, self.tags = words, tags
        self.chunks: list[Chunk] = []
        self.heads: list[int] = []
        self.modifiers: list[tuple[int, int]] = []
        place, owner = 0, -1  # owner: head of a noun phrase before a possessive ending
        while place < len(tags):
            tag, start = tags[place], place
            if tag in _PRONOUNS:
                self.chunks.append(Chunk("noun", place))
                place += 1
            elif tag in _BEGIN or (tag in _PARTICIPLES and self._is_before_noun(place)):
                place += 1
                while place < len(tags) and self._continues(place):
                    place += 1
                head = self._noun_phrase(start, place)
                if owner >= 0:
                    self.modifiers.append((head, owner))
                owner = -1
                if place < len(tags) and tags[place] == "POS":
                    owner = head
                    place += 1
                else:
                    self.chunks.append(Chunk("noun", head))
            elif tag in _VERBS or tag == "MD":
                place = self._verb_group(place)
            else:
                self.chunks.append(Chunk(self._kind(place), place))
                place += 1
        self.chunks.append(Chunk("end", len(tags)))

    def _kind(self, place: int) -> str:
        tag, word = self.tags[place], self.words[place]
        if tag in {"WDT", "WP"} or (tag == "IN" and word == "that"):
            return "relative"
        if tag == "TO" or tag == "IN":
            following, second = (*self.tags[place + 1 : place + 3], ".", ".")[:2]
            if tag == "TO" and following in _VERBS:
                return "to"
            is_adjective = following.startswith("JJ") and second not in _INSIDE  # "handed it in late"
            has_object = following in _OBJECTS and not is_adjective
            return "preposition" if has_object or word not in PARTICLES else "particle"
        if tag == "RP" or (tag in {"RB", "JJ"} and word in PARTICLES):
            return "particle"
        return _KINDS.get(tag, "word")

    def _is_before_noun(self, place: int) -> bool:
        """Whether a participle stands inside a noun phrase that begins with it."""
        tags = self.tags
        is_verb = place > 0 and (tags[place - 1] in _BEFORE_VERB or self._is_auxiliary(place - 1))
        return not is_verb and place + 1 < len(tags) and tags[place + 1] in NOUNS

    def _is_auxiliary(self, place: int) -> bool:
        return self.words[place] in _AUXILIARIES and self.tags[place] != "POS"

    def _continues(self, place: int) -> bool:
        """Whether a word belongs to the noun phrase of the word before it."""
        before, tag, word = self.tags[place - 1], self.tags[place], self.words[place]
        if tag not in _INSIDE and word not in _HOURS:
            return False
        if before == "CD" and word in _HOURS:
            return True
        if tag in _ARTICLES:
            return before == "PDT"
        if tag in _PARTICIPLES:
            return before not in _HEADS and self._tag_at(place + 1) in _BEHIND_PARTICIPLE
        # "gave Ben $ 5", "at 7 a.m. today", "handed his essay in late"
        if self.words[place - 1] in _HOURS or (before in NOUNS and tag == "$"):
            return False
        if before in NOUNS and tag.startswith("JJ"):
            return self._tag_at(place + 1) in _INSIDE
        return tag in _INSIDE

    def _tag_at(self, place: int) -> str:
        return self.tags[place] if place < len(self.tags) else ""

    def _noun_phrase(self, start: int, end: int) -> int:
        """Relate the words of a noun phrase to its head, and return the head."""
        tags, words = self.tags, self.words
        inside = range(start, end)
        nouns = [place for place in inside if tags[place] in NOUNS or words[place] in _HOURS]
        signs = [place for place in inside if tags[place] == "$"]
        numbers = [place for place in inside if tags[place] == "CD"]
        if nouns and not (signs and nouns[-1] < signs[0]):
            head = nouns[-1]
        else:
            head = (signs or numbers or [end - 1])[0 if signs else -1]
        for place in reversed(inside):
            if place != head and tags[place] not in {"DT", "PDT", "HYPH"}:
                self.modifiers.append((head, place))
        self.heads.append(head)
        return head

    def _verb_group(self, place: int) -> int:
        tags = self.tags
        verb, is_passive, auxiliaries = -1, False, 0
        while place < len(tags):
            if tags[place] in _VERBS or tags[place] == "MD":
                if verb >= 0:
                    if not (self._is_auxiliary(verb) or tags[verb] == "MD"):
                        break
                    is_passive = tags[place] == "VBN" and self.words[verb] in _BE
                    auxiliaries += 1
                verb = place
            elif tags[place] != "RB" or not self._leads_to_verb(place):
                break
            place += 1
        self.chunks.append(Chunk("verb", verb, is_passive, not auxiliaries and tags[verb] == "VBN"))
        return place

    def _leads_to_verb(self, place: int) -> bool:
        while place < len(self.tags) and self.tags[place] == "RB":
            place += 1
        return place < len(self.tags) and self.tags[place] in _VERBS
