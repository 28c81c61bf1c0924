"""Words that turn what a sentence says into its opposite."""

from __future__ import annotations

#: Negations; they concern the word that they depend on, or the noun behind them.
NEGATIONS = frozenset(
    "not n't never no none nobody nothing neither nor nowhere hardly scarcely barely without".split()  # noqa: SIM905
)
#: Lemmas of words that deny their complement (Karttunen 1971): *failed to win*, *unable to swim*.
DENYING = frozenset(
    """fail refuse forget decline neglect avoid deny lack unable unwilling incapable impossible unlikely
    refusal failure inability prevent miss omit abstain refrain absence""".split()  # noqa: SIM905
)
# Words behind "not" that keep what is said (*not only*), and before it (*whether or not*).
_AFFIRMING_AFTER_NOT = frozenset(("only", "just", "merely", "simply"))


def negating_words(words: list[str], lemmas: list[str]) -> list[int]:
    """Numbers of the words of a span that negate it; *neither … nor* negates once."""
    found = []
    for number, (word, lemma) in enumerate(zip(words, lemmas, strict=True)):
        following = words[number + 1] if number + 1 < len(words) else ""
        is_negation = word in NEGATIONS and not (
            (word == "not" and (following in _AFFIRMING_AFTER_NOT or words[number - 1 : number] == ["or"]))
            or (word == "nor" and "neither" in words[:number])
        )
        if is_negation or lemma in DENYING:
            found.append(number)
    return found
