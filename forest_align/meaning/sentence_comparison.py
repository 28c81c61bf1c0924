"""Finds all reasons why two aligned sentences do not say the same."""

# ruff: noqa: SIM905
from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from forest_align.alignment import Alignment, AtomicRelation, Span
from forest_align.lexicon.groups import Group, lexical_groups
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.number_tables import UNITS
from forest_align.meaning._compared_values import compared_values
from forest_align.meaning._exchanged_roles import exchanged_roles
from forest_align.meaning._left_over_words import left_over_relations
from forest_align.meaning._read_sentence import (
    SUBJECTS,
    Cell,
    Denial,
    LinkedSentences,
    ReadSentence,
    hull,
    is_in,
)
from forest_align.meaning._word_pairs import is_negative, word_relation
from forest_align.meaning.meaning_words import BOUNDING, BOUNDS, VALUES, contrast
from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    GENERAL,
    NEGATION,
    OPPOSITE,
    SPECIFIC,
    UNKNOWN,
    HiddenRelation,
    Scope,
    SentenceRelations,
)
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import Sentence

# Quantifiers whose noun is in a context that turns relations around.
_DOWNWARD = frozenset("all every each no any whoever".split())

# What a verb denies that denies by itself.
_DENIED = ("dobj", "nsubjpass", "ccomp", "xcomp")


def atomic_relations(source: Sentence, target: Sentence, links: Iterable[Cell]) -> SentenceRelations:
    """The relations of the words of two sentences that are not equivalent.

    Parameters
    ----------
    source, target : Sentence
        With tags; with forests, or there are no roles, and few left-over words are understood.
    links : iterable of (int, int)
        Their word links.
    """
    if source.words == target.words:
        return SentenceRelations([], [])
    return _Comparison(ReadSentence(source), ReadSentence(target), sorted(set(links))).relations


def known_relations(alignment: Alignment) -> list[AtomicRelation]:
    """The words that do not say the same, in the order of their rules.

    Phrase pairs with a relation know more than words: exchanged roles, which need a tree, and words that a
    model held for equivalent.

    Parameters
    ----------
    alignment : Alignment
        With word links.
    """
    return known_and_settled(alignment)[0]


def known_and_settled(alignment: Alignment) -> tuple[list[AtomicRelation], list[AtomicRelation]]:
    """The words that do not say the same, and those of which a phrase pair around them holds that they do."""
    related = [(pair, pair.relation) for pair in alignment.phrases if pair.relation is not None]
    spans = [(pair.source_node.span, pair.target_node.span) for pair, _ in related]
    known = dict.fromkeys(evidence for _, relation in related for evidence in relation.evidence)
    settled = []
    for atomic in atomic_relations(alignment.source, alignment.target, alignment.words.pairs).relations:
        # A relation that a phrase pair around it does not rest on is settled: the two say the same.
        if atomic not in known and any(atomic.lies_in(*both) for both in spans):
            settled.append(atomic)
        else:
            known.setdefault(atomic)
    return list(known), settled


class _Comparison:
    """Two sentences and their links, while their relations are found."""

    def __init__(self, source: ReadSentence, target: ReadSentence, links: list[Cell]) -> None:
        self.sides = source, target
        self.links = links
        self.partners: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
        for i, j in links:
            self.partners[0].setdefault(i, []).append(j)
            self.partners[1].setdefault(j, []).append(i)
        self.pair = LinkedSentences((source, target), self.partners)
        # Links that need no look any more, and words that count as having no partner.
        self.settled: set[Cell] = set()
        self.left_over: tuple[set[int], set[int]] = (set(), set())
        self.values = compared_values(self.pair)
        self.hidden: list[HiddenRelation] = []

    @property
    def relations(self) -> SentenceRelations:
        """All relations, and where they turn around."""
        relations = self._of_denials()
        self.settled |= self.values.settled
        relations += self.values.relations
        for spans in self.values.compared:
            self._hide(spans, {cell for cell in self.values.settled if is_in(cell, spans)})
            self._hide_numbers(spans)
        if self._may_exchange:
            roles = exchanged_roles(self.pair, self.values.equal)
            self.settled |= roles.settled
            relations += roles.relations
            for cell, spans in roles.exchanges:
                unknown = AtomicRelation(*_spans(cell), UNKNOWN, "converse")
                self.hidden.append(HiddenRelation(unknown, *spans))
        relations += self._of_links()
        silent = [self.denial_words[side] | self.values.words[side] for side in (0, 1)]
        relations += left_over_relations(self.pair, self.left_over, (silent[0], silent[1]))
        return SentenceRelations(relations, [*self.scopes, *self._restrictors()], self.hidden)

    def _hide(self, spans: tuple[Span, Span], cells: Iterable[Cell]) -> None:
        """Hide what linked words say by themselves within two spans."""
        for cell in cells:
            units = [UNITS.get(read.lower[word]) for read, word in zip(self.sides, cell, strict=True)]
            # WordNet has a sense of *hour* that is one of *minute*.
            are_units = all(units) and units[0] != units[1]
            is_part = _spans(cell) != spans
            if is_part and (are_units or self._word_relation(*cell)[0] != EQUIVALENT):
                self.hidden.append(HiddenRelation(AtomicRelation(*_spans(cell), UNKNOWN, ""), *spans))

    def _hide_numbers(self, spans: tuple[Span, Span]) -> None:
        """Hide numbers without links in two quantities: *22.5 billion* of *$22.5 billion* says nothing."""
        for side, span in enumerate(spans):
            for word in range(*span):
                if self.sides[side].tags[word] == "CD" and not self.partners[side].get(word):
                    number = AtomicRelation(_span(word), None, UNKNOWN, VALUES)
                    self.hidden.append(HiddenRelation(number if side == 0 else number.swap(), *spans))

    @cached_property
    def _may_exchange(self) -> bool:
        """Whether links of content words cross, or a voice or a focus may differ."""
        source = self.sides[0]
        highest = -1
        for i, j in self.links:
            if source.profiles[i].is_punctuation:
                continue
            if j < highest:
                return True
            highest = max(highest, j)
        return any(word in read.lower for read in self.sides for word in ("by", "to", "only", "than"))

    # ------------------------------------------------------------------------------------------- denials

    def _of_denials(self) -> list[AtomicRelation]:
        rest, denied = zip(*(_without_double(read.denials) for read in self.sides), strict=True)
        self.denial_words = tuple(
            {word for denial in read.denials for word in range(*denial.span) if word != denial.target}
            for read in self.sides
        )
        self.scopes: list[Scope] = []
        relations: list[AtomicRelation] = []
        for one in list(rest[0]):
            for other in rest[1]:
                if self._agree(one, other):
                    rest[0].remove(one)
                    rest[1].remove(other)
                    self._settle_denials(one, other)
                    if one.relation != other.relation:
                        relations.append(AtomicRelation(one.span, other.span, UNKNOWN, NEGATION))
                    break
        for side in (0, 1):
            for denial in rest[side]:
                relations += self._of_denial(side, denial)
            for denial in denied[side]:  # *did not deny it*, *confirmed it*: perhaps the same
                opposed = [cell for cell in self._links_of(side, denial.span[0]) if self._opposed(*cell)]
                self.settled.update(opposed)
                relations += [AtomicRelation(*_spans(cell), UNKNOWN, NEGATION) for cell in opposed]
        return relations

    def _agree(self, one: Denial, other: Denial) -> bool:
        """Whether two denials deny the same."""
        links = self.partners[0]
        if other.target in links.get(one.target, ()):
            return not self._opposed(one.target, other.target)
        # *They won't*, *they won't do so*: an auxiliary alone is linked to that of the verb.
        verbs = {edge.governor for edge in self._auxiliaries(1, links.get(one.target, ()))}
        alone = {edge.governor for edge in self._auxiliaries(0, self.partners[1].get(other.target, ()))}
        if other.target in verbs or one.target in alone:
            return True
        are_linked = one.clause >= 0 and other.clause >= 0 and other.clause in links.get(one.clause, ())
        return are_linked and not self._opposed(one.clause, other.clause)

    def _auxiliaries(self, side: int, words: Iterable[int]) -> Iterator[Dependency]:
        """The dependencies by which some words are auxiliaries."""
        for word in words:
            yield from (edge for edge in self.sides[side].governors.get(word, ()) if edge.relation == "aux")

    def _opposed(self, i: int, j: int) -> bool:
        return self._word_relation(i, j)[0] == OPPOSITE

    def _settle_denials(self, one: Denial, other: Denial) -> None:
        for side, denial in enumerate((one, other)):
            read = self.sides[side]
            if denial.target in range(*denial.span):  # *firmly denied all charges*: only the charges
                objects = read.dependents.get(denial.target, ())
                tops = [one.dependent for one in objects if one.relation in _DENIED]
            else:
                tops = [denial.clause if denial.clause >= 0 else denial.target]
            words = {word for top in tops for word in _below(read, top)}
            # *The old man did not sleep* speaks of a man who is there: it says more than *the man did not*.
            subjects = (
                edge.dependent
                for top in tops
                for edge in read.dependents.get(top, ())
                if edge.relation in SUBJECTS
            )
            for subject in filter(read.is_definite, subjects):
                words -= _below(read, subject)
            self.scopes.append(Scope(side, denial.span[0], frozenset(words)))
        self.settled |= {(i, j) for i in range(*one.span) for j in range(*other.span)}
        for i, j in self.links:  # *did not see anyone*, *saw nobody*
            if (i in range(*one.span)) != (j in range(*other.span)):
                spans = hull(*range(*one.span), i), hull(*range(*other.span), j)
                unknown = AtomicRelation(_span(i), _span(j), UNKNOWN, NEGATION)
                self.hidden.append(HiddenRelation(unknown, *spans))

    def _of_denial(self, side: int, denial: Denial) -> list[AtomicRelation]:
        """A denial of one side only."""
        others = self.partners[side].get(denial.target, [])
        if not others and denial.clause >= 0:
            others = self.partners[side].get(denial.clause, [])
        own = set(range(*denial.span))
        partners = {other for word in own for other in self.partners[side].get(word, ())}
        if any("-not-" in self.sides[1 - side].lower[other] for other in partners):
            return []  # *the Do Not Call list*, *the do-not-call list*
        if not others:
            if self.sides[side].lower[denial.target] not in BOUNDS:
                return []
            relation = AtomicRelation(denial.span, None, GENERAL, "approximate value")
            return [relation if side == 0 else relation.swap()]  # *no more than an hour*, *an hour*
        cells = self._cells(side, denial.target, others)
        spans = self._from(side, hull(*own, denial.target), hull(*others))
        bounds = {self._bound(1 - side, other) for other in others} - {""}
        if bounds:  # *not less than 60*, *at least 60*
            self.settled |= set(cells)
            is_same = bounds == {BOUNDS.get(self.sides[side].lower[denial.target])}
            return [] if is_same else [AtomicRelation(*spans, UNKNOWN, VALUES)]
        if denial.target not in own:
            # Not dead, alive; not many, few
            between = range(denial.span[1], denial.target)
            opposed = [cell for cell in cells if self._opposed(*cell)] or [
                cell for word in between for cell in self._links_of(side, word) if self._opposed(*cell)
            ]
            if opposed:
                self.settled |= set(opposed)
                self._hide(spans, opposed)
                return []
        elif self.sides[side].tags[denial.target].startswith("NN"):
            return []  # *failure* and *defects*: a noun denies what belongs to it
        elif any(self._word_relation(*cell)[0] != UNKNOWN for cell in cells):
            return []  # both words deny, or a contrast is found by itself
        else:
            self.settled |= set(cells)
        # *Aiding*, *doing nothing to discourage*: of what is denied only something else is said. *Avoiding*,
        # *casting off* effects: a verb that denies its object may have another one as its partner.
        is_other = all(self._word_relation(*cell)[0] == UNKNOWN for cell in cells) and (
            denial.target not in own or not all(map(self.sides[1 - side].is_light, others))
        )
        if is_other or self._may_be_denied_too(side, denial):
            self._hide(spans, cells + [cell for word in own for cell in self._links_of(side, word)])
            return [AtomicRelation(*spans, UNKNOWN, NEGATION)]
        for word in own:  # nobody, somebody
            if any(self._opposed(*cell) for cell in self._links_of(side, word)):
                spans = self._from(side, denial.span, hull(*self.partners[side][word]))
        return [AtomicRelation(*spans, denial.relation, NEGATION)]

    @staticmethod
    def _cells(side: int, word: int, others: Iterable[int]) -> list[Cell]:
        """The links of a word of one side with words of the other side."""
        return [(word, other) if side == 0 else (other, word) for other in others]

    def _links_of(self, side: int, word: int) -> list[Cell]:
        """All links of a word."""
        return self._cells(side, word, self.partners[side].get(word, ()))

    @staticmethod
    def _from(side: int, own: Span, other: Span) -> tuple[Span, Span]:
        """A span of one side and one of the other side, the source's first."""
        return (own, other) if side == 0 else (other, own)

    def _may_be_denied_too(self, side: int, denial: Denial) -> bool:
        """Whether the other sentence may deny the same by other words.

        *No student passed*, *every student failed*: its verb is opposed. *Stopped smoking*, *gave up
        cigarettes*, or *failed to win*, *tried to win*: the denying word has another partner. *Not allowed*,
        *illegal*.
        """
        links, other_lemmas = self.partners[side], self.sides[1 - side].lemmas
        clause = self._links_of(side, denial.clause)
        if denial.clause != denial.target and any(self._opposed(*cell) for cell in clause):
            return True
        own = [word for word in range(*denial.span) if word != denial.target]
        others = {other for word in own for other in links.get(word, ())} - {*links.get(denial.target, ())}
        denies_by_itself = any(self.sides[side].tags[word].startswith("VB") for word in own)
        if (denies_by_itself or denial.relation == DIFFERENT) and not all(
            map(self.sides[1 - side].is_light, others)
        ):
            return not any(self._opposed(*cell) for word in own for cell in self._links_of(side, word))
        return any(
            is_negative(other_lemmas[other]) and self.sides[side].lemmas[denial.target] != other_lemmas[other]
            for other in links.get(denial.target, ())
        )

    def _bound(self, side: int, word: int) -> str:
        """*Least* of *at least*, *most* of *at most*; empty for other words."""
        lower = self.sides[side].lower
        is_bound = lower[word] in BOUNDS.values() and lower[max(0, word - 1)] == "at"
        return lower[word] if is_bound else ""

    # ------------------------------------------------------------------------------------------- words

    def _word_relation(self, i: int, j: int) -> tuple[str, str]:
        source, target = self.sides
        words = source.complex_word(i), target.complex_word(j)
        if words != (source.lower[i], target.lower[j]):
            relation = EQUIVALENT if words[0] == words[1] else contrast(*words)
            return relation or UNKNOWN, "contrast"
        if source.lemmas[i] == target.lemmas[j] and source.degree(i) != target.degree(j):
            return UNKNOWN, "degree"  # *large*, *the largest*
        texts = source.words[i], target.words[j]
        return word_relation(source.profiles[i], target.profiles[j], texts, (source.tags[i], target.tags[j]))

    def _set_approximations_apart(self) -> None:
        """Words such as *nearly* are left over if the other sentence has none, even if they are linked."""
        for side, read in enumerate(self.sides):
            for word, others in self.partners[side].items():
                if read.makes_approximate(word) and not any(
                    map(self.sides[1 - side].makes_approximate, others)
                ):
                    self.left_over[side].add(word)
                    self.settled.update(self._links_of(side, word))

    def _of_links(self) -> list[AtomicRelation]:
        self._set_approximations_apart()
        relations = []
        done: set[Cell] = set()
        for cell in self.links:
            # Of most links both words are the same, and have no other partner.
            if cell in done or self._is_plain(*cell):
                continue
            rows, columns = self._block(cell)
            block = {(i, j) for i in rows for j in self.partners[0][i]}
            done |= block
            rows -= self.denial_words[0]
            columns -= self.denial_words[1]
            settled = block & self.settled
            # *3* and *the third*: the article says nothing beside them.
            rows -= {i for i in rows if self._is_light_beside(0, i, {j for _, j in settled})}
            columns -= {j for j in columns if self._is_light_beside(1, j, {i for i, _ in settled})}
            open_cells = {(i, j) for i, j in block if i in rows and j in columns} - settled
            if open_cells:
                relations += self._of_block(rows, columns, open_cells)
        return relations

    def _is_light_beside(self, side: int, word: int, others: set[int]) -> bool:
        return not others.isdisjoint(self.partners[side][word]) and self.sides[side].is_light(word)

    def _is_plain(self, i: int, j: int) -> bool:
        are_alone = len(self.partners[0][i]) == len(self.partners[1][j]) == 1
        return are_alone and self.sides[0].complex_word(i) == self.sides[1].complex_word(j)

    def _block(self, cell: Cell) -> tuple[set[int], set[int]]:
        """All words that links join with two linked words."""
        rows, columns = {cell[0]}, {cell[1]}
        todo = [(0, cell[0]), (1, cell[1])]
        while todo:
            side, word = todo.pop()
            for other in self.partners[side][word]:
                known = columns if side == 0 else rows
                if other not in known:
                    known.add(other)
                    todo.append((1 - side, other))
        return rows, columns

    def _of_block(self, rows: set[int], columns: set[int], cells: set[Cell]) -> list[AtomicRelation]:
        if len(rows) == len(columns) == 1:
            ((i, j),) = cells
            relation, rule = self._word_relation(i, j)
            if relation == EQUIVALENT:
                return []
            are_pronouns = self.sides[0].tags[i] == "PRP", self.sides[1].tags[j] == "PRP"
            if are_pronouns[0] != are_pronouns[1]:  # a pronoun says less than a noun
                relation, rule = GENERAL if are_pronouns[0] else SPECIFIC, "pronoun"
            if relation == UNKNOWN and self._take_infinitives(i, j):
                rule = rule or "other verbs"  # *tries to help*, *presumes to help*: does he help?
            rule = VALUES if self._have_values(cells) else rule or "other words"
            return [AtomicRelation(_span(i), _span(j), relation, rule)]
        known = {cell: self._word_relation(*cell) for cell in cells}
        same = [cell for cell, (relation, _) in known.items() if relation == EQUIVALENT]
        content = [cell for cell in same if not self.sides[0].is_light(cell[0])]
        spans = hull(*rows), hull(*columns)
        if any(spans == (group.source, group.target) for group in self._groups):
            return []
        if (UNKNOWN, "contrast") in known.values():  # *a few*, *few*
            return [AtomicRelation(*spans, UNKNOWN, "contrast")]
        if content:
            for side, words in enumerate((rows - {i for i, _ in same}, columns - {j for _, j in same})):
                tags = self.sides[side].tags
                # A particle belongs to its verb.
                self.left_over[side].update(word for word in words if tags[word] not in ("RP", "RB"))
            return []
        # *In a yard* and *outside* are not opposed as *in* and *outside* are.
        has_content = not all(map(self.sides[0].is_light, rows)) or not all(
            map(self.sides[1].is_light, columns)
        )
        opposed = [
            (cell, rule)
            for cell, (relation, rule) in known.items()
            if relation == OPPOSITE and not (has_content and self.sides[0].is_light(cell[0]))
        ]
        if opposed:
            return [AtomicRelation(*spans, OPPOSITE, opposed[0][1])]
        if all(map(self.sides[0].is_light, rows)) and all(map(self.sides[1].is_light, columns)):
            if self._approximates(0, rows) != self._approximates(1, columns):
                return [AtomicRelation(*spans, UNKNOWN, "approximate value")]  # *about*, *more than*
            return []
        rule = VALUES if self._have_values(cells) else "other words"
        return [AtomicRelation(*spans, UNKNOWN, rule)]

    def _have_values(self, cells: set[Cell]) -> bool:
        """Whether links join values that cannot be compared, or a number and words: *8,000*, *many*."""
        has_digits = [
            any(map(str.isdigit, "".join(read.lower[cell[side]] for cell in cells)))
            for side, read in enumerate(self.sides)
        ]
        return not self.values.open.isdisjoint(cells) or has_digits[0] != has_digits[1]

    def _take_infinitives(self, i: int, j: int) -> bool:
        """Whether both words are verbs with infinitives below them."""
        return all(
            read.tags[word].startswith("VB")
            and any(edge.relation == "xcomp" for edge in read.dependents.get(word, ()))
            for read, word in zip(self.sides, (i, j), strict=True)
        )

    def _approximates(self, side: int, words: Iterable[int]) -> bool | None:
        """Whether words bound the value behind them, *over*, or are only near it; None if there is none."""
        read = self.sides[side]
        known = [read.lower[word] in BOUNDING for word in words if read.makes_approximate(word)]
        return any(known) if known else None

    @cached_property
    def _groups(self) -> list[Group]:
        return lexical_groups(self.sides[0].sentence, self.sides[1].sentence, load_lexicon())

    def _restrictors(self) -> Iterator[Scope]:
        """The noun phrases with a universal quantifier."""
        for side, read in enumerate(self.sides):
            for word, lower in enumerate(read.lower):
                if lower in _DOWNWARD and word in read.governors:
                    words = _below(read, read.governors[word][0].governor) - {word}
                    yield Scope(side, word, frozenset(words))


def _without_double(denials: Iterable[Denial]) -> tuple[list[Denial], list[Denial]]:
    """The denials without those that are denied, *did not fail*; and these."""
    rest, denied = list(denials), []
    for outer in list(rest):
        for inner in list(rest):
            is_denied = outer is not inner and inner.span[0] <= outer.target < inner.span[1]
            if is_denied and outer in rest and inner in rest:
                rest.remove(outer)
                rest.remove(inner)
                denied.append(inner)
    return rest, denied


def _below(read: ReadSentence, word: int) -> set[int]:
    """A word and all that depends on it."""
    words, todo = {word}, [word]
    while todo:
        for edge in read.dependents.get(todo.pop(), ()):
            if edge.dependent not in words:
                words.add(edge.dependent)
                todo.append(edge.dependent)
    return words


def _span(word: int) -> Span:
    return word, word + 1


def _spans(cell: Cell) -> tuple[Span, Span]:
    return _span(cell[0]), _span(cell[1])
