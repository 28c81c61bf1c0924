"""Measure how often synonymous phrasal verbs with one verb are aligned as wholes: *closed up*, *closed down*.

Usage: python benchmarks/quality/phrasal_verbs.py [MODEL …]

WordNet's synonyms of a verb and a particle each, with the same verb, are put into pairs of tagged sentences:
once in the same surroundings, once in those of figure 1 of Yao et al. (2013), once in a passive. Prints for
each model, and each kind of sentences, the share of pairs whose verbs and particles are linked, in percent.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from forest_align.aligners import load
from forest_align.lexicon.lexicon import Lexicon, load_lexicon
from forest_align.types import Sentence

PARTICLES = (
    *("about", "along", "apart", "around", "away", "back", "by", "down", "forth", "in", "off", "on", "out"),
    *("over", "through", "together", "up"),
)
#: Pairs of sentences with the places of verb and particle.
FRAMES = {
    "same surroundings": ("the/DT men/NNS {}/VBD {}/RP in/IN May/NNP ./.",) * 2,
    "figure 1": (
        "shops/NNS are/VBP {}/VBN {}/RP for/IN now/RB until/IN March/NNP",
        "shops/NNS are/VBP temporarily/RB {}/VBN {}/RP",
    ),
    "passive": (
        "they/PRP {}/VBD {}/RP the/DT old/JJ plan/NN last/JJ year/NN ./.",
        "it/PRP was/VBD said/VBN that/IN the/DT plan/NN was/VBD {}/VBN {}/RP ./.",
    ),
}


def phrasal_verbs(lexicon: Lexicon) -> list[tuple[str, str, str]]:
    """A verb and two particles each, in alphabetical order: the two phrasal verbs share a synset."""
    particles: dict[tuple[str, int], set[str]] = {}
    for lemma in lexicon.store.lemmas:
        verb, _, particle = lemma.partition("_")
        if particle in PARTICLES:
            for synset in lexicon.store.synsets(lemma, "v"):
                particles.setdefault((verb, synset), set()).add(particle)
    found = {
        (verb, one, two) for (verb, _), own in particles.items() for one in own for two in own if one < two
    }
    return sorted(found)


def past_forms(lexicon: Lexicon, verbs: set[str]) -> dict[str, str]:
    """A past form of each verb: the first irregular one that WordNet lists, or a regular one."""
    found = {verb: verb + ("d" if verb.endswith("e") else "ed") for verb in verbs}
    for (part, form), lemma in reversed(list(lexicon.store.exceptions.items())):
        if part == "v" and lemma in verbs and not form.endswith(("s", "ing")):
            found[lemma] = form
    return found


def sentence(frame: str, verb: str, particle: str) -> tuple[Sentence, int]:
    """The frame with both words, and the place of the verb."""
    items = frame.split(" ")
    place = next(k for k, item in enumerate(items) if item.startswith("{}"))
    words, tags = zip(*(item.rsplit("/", 1) for item in frame.format(verb, particle).split(" ")), strict=True)
    return Sentence.from_words(words, tags), place


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", default=["semi-markov", "semi-markov-phrasal"], metavar="MODEL")
    arguments = parser.parse_args(argv)
    lexicon = load_lexicon()
    verbs = phrasal_verbs(lexicon)
    forms = past_forms(lexicon, {verb for verb, *_ in verbs})
    print(f"| {len(verbs)} pairs | {' | '.join(FRAMES)} |\n{'|---' * (1 + len(FRAMES))}|")
    for name in arguments.models:
        aligner = load(name)
        shares = []
        for one, two in FRAMES.values():
            right = 0
            for verb, *particles in verbs:
                for first, second in (particles, particles[::-1]):
                    source, i = sentence(one, forms[verb], first)
                    target, j = sentence(two, forms[verb], second)
                    words = set(aligner.align(source, target).words.pairs)
                    right += {(i, j), (i + 1, j + 1)} <= words
            shares.append(f"{50 * right / len(verbs):.1f}")
        print(f"| {name} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
