"""Build the bundled English lexicon from a WordNet 3.0 ``dict`` folder; run once, its output is committed.

python tools/build_lexicon.py /usr/share/wordnet data/resources
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save

#: File suffix, letter and bit of each part of speech, in the order in which synsets are numbered.
PARTS = (("noun", "n", 1), ("verb", "v", 2), ("adj", "a", 4), ("adv", "r", 8))
#: Pointers: derivationally related form, pertainym (or adverb from adjective), participle of verb.
DERIVATIONAL = frozenset({"+", "\\", "<"})
#: Pointers that are kept for oppositions: antonym; hyponym; instance of; part of.
ANTONYM, HYPONYM, INSTANCE, PART_OF = "!", "~", "@i", "#p"
#: Pointers between whole synsets that are kept: to what is more general, to the whole, to what follows.
HYPERNYMS, WHOLES, CONSEQUENCES = ("@", INSTANCE), (PART_OF, "#m", "#s"), ("*", ">")
#: Lexicographer files of nouns: places, people.
PLACES, PEOPLE = 15, 18
LEXICON_FILE = "wordnet.safetensors"
LICENSE_FILE = "WORDNET-LICENSE.txt"


@dataclass(frozen=True, slots=True)
class Synset:
    """One line of a data file: its words, its pointers, the number of its lexicographer file, its gloss.

    A pointer is (symbol, word number in this synset, letter and offset of the other synset, word number
    there). Word numbers are 0 in pointers between whole synsets.
    """

    words: tuple[str, ...]
    pointers: tuple[tuple[str, int, tuple[str, int], int], ...]
    file_number: int = 0
    gloss: str = ""

    def targets(self, *symbols: str) -> Iterator[tuple[str, int]]:
        """Synsets to which pointers with these symbols lead."""
        return (other for symbol, _, other, _ in self.pointers if symbol in symbols)


def data_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of the lines of a WordNet file, without the licence at its top."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith(" "):
                yield number, line


def check_folder(folder: Path) -> None:
    """Exit with the name of a missing file, if any."""
    names = [name for suffix, _, _ in PARTS for name in (f"data.{suffix}", f"{suffix}.exc")]
    for path in (folder / name for name in (*names, "index.noun")):
        if not path.is_file():
            raise SystemExit(f"{path}: no such file; expected the dict folder of WordNet 3.0")


def read_synset(line: str) -> tuple[int, Synset]:
    """Read a line of a data file (format: WordNet's manual page wndb) into its offset and synset."""
    before, _, gloss = line.partition("|")
    fields = before.split()
    offset, word_count = int(fields[0]), int(fields[3], 16)
    words = tuple(word.split("(")[0].lower() for word in fields[4 : 4 + 2 * word_count : 2])
    at = 4 + 2 * word_count
    pointers = []
    for k in range(int(fields[at])):
        symbol, target, part, numbers = fields[at + 1 + 4 * k : at + 5 + 4 * k]
        other = (part.replace("s", "a"), int(target))
        pointers.append((symbol, int(numbers[:2], 16), other, int(numbers[2:], 16)))
    return offset, Synset(words, tuple(pointers), int(fields[1]), gloss.strip())


def read_synsets(folder: Path) -> dict[tuple[str, int], Synset]:
    """Read the four data files, in the order in which synsets are numbered."""
    synsets = {}
    for suffix, part, _ in PARTS:
        path = folder / f"data.{suffix}"
        for number, line in data_lines(path):
            try:
                offset, synset = read_synset(line)
            except (ValueError, IndexError):
                raise SystemExit(f"{path}:{number}: expected a line of a WordNet data file") from None
            synsets[part, offset] = synset
    return synsets


def first_people(folder: Path, synsets: dict[tuple[str, int], Synset]) -> dict[str, tuple[str, int]]:
    """The most frequent sense of each noun among those that are people, from the index of nouns."""
    found = {}
    path = folder / "index.noun"
    for number, line in data_lines(path):
        try:
            lemma, _, count, *rest = line.split()
            senses = [("n", int(offset)) for offset in rest[-int(count) :]]
            people = [sense for sense in senses if synsets[sense].file_number == PEOPLE]
        except (ValueError, KeyError):
            raise SystemExit(f"{path}:{number}: expected a line of a WordNet index file") from None
        if people:
            found[lemma.lower()] = people[0]
    return found


# How glosses of people say their sex: "a married man; ...", "the son of your brother", but not "a woman's
# partner" or "a father or mother".
_MALE = "male|man|men|boy|husband|father|son|brother|nobleman|king"
_FEMALE = "female|woman|women|girl|wife|mother|daughter|sister|noblewoman|queen|lady"
_SEX = re.compile(
    r"(?:\([^)]*\) )?(?:(?:a|an|the|your|any) )?(?:(?!or |and )[a-z-]+ ){0,2}?"
    rf"(?:(?P<male>{_MALE})|(?P<female>{_FEMALE}))(?![\w'’-]| or | and )"
)


def sexes(synsets: dict[tuple[str, int], Synset]) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """Synsets of male and of female people: by gloss, or below such a synset; names of people aside."""
    found: dict[str, set[tuple[str, int]]] = {"male": set(), "female": set()}
    for key, synset in synsets.items():
        if key[0] != "n" or synset.file_number != PEOPLE or any(synset.targets(INSTANCE)):
            continue
        match = _SEX.match(synset.gloss)
        for sex, members in found.items():
            if f"{sex}_person" in synset.words or (match and match[sex]):
                members.add(key)
    by_gloss = found["male"] | found["female"]
    for members in found.values():
        waiting = sorted(members)
        while waiting:
            for below in synsets[waiting.pop()].targets(HYPONYM):
                if below not in by_gloss and below not in members:
                    members.add(below)
                    waiting.append(below)
    both = found["male"] & found["female"]
    return found["male"] - both, found["female"] - both


def countries(synsets: dict[tuple[str, int], Synset]) -> set[tuple[str, int]]:
    """Synsets of countries of the world: places that are instances of *country* or of a kind of country."""
    kinds = {
        key
        for key, synset in synsets.items()
        if synset.file_number == PLACES and {"country", "state"} <= set(synset.words)
    }
    waiting = sorted(kinds)
    while waiting:
        for below in synsets[waiting.pop()].targets(HYPONYM):
            if below not in kinds:
                kinds.add(below)
                waiting.append(below)
    return {key for key, synset in synsets.items() if not kinds.isdisjoint(synset.targets(INSTANCE))}


def countries_of_lemmas(
    synsets: dict[tuple[str, int], Synset], ids: dict[str, int], relatives: list[set[int]]
) -> set[tuple[int, int]]:
    """Pairs of a lemma and the number of a country that it names, or that a relative of it names.

    Countries that are part of another one name that one, too: England and the United Kingdom.
    """
    numbers = {key: number for number, key in enumerate(synsets)}
    nations = countries(synsets)
    named: dict[int, set[int]] = {}
    for key in nations:
        own = {
            numbers[key],
            *(numbers[whole] for whole in nations.intersection(synsets[key].targets(PART_OF))),
        }
        for word in synsets[key].words:
            named.setdefault(ids[word], set()).update(own)
    found = {(lemma, nation) for lemma, own in named.items() for nation in own}
    for lemma, others in enumerate(relatives):
        if lemma not in named:
            found.update((lemma, nation) for other in others for nation in named.get(other, ()))
    return found


def read_exceptions(folder: Path) -> list[str]:
    """Irregular forms as ``"letter form lemma"``, in the order of the files."""
    found: list[str] = []
    for suffix, part, _ in PARTS:
        path = folder / f"{suffix}.exc"
        for number, line in data_lines(path):
            form, *lemmas = line.split()
            if not lemmas:
                raise SystemExit(f"{path}:{number}: expected a form and its lemmas")
            found.extend(f"{part} {form} {lemma}" for lemma in lemmas if "_" not in form)
    return found


def text_block(lines: list[str]) -> np.ndarray:
    """The lines as UTF-8 bytes."""
    return np.frombuffer("\n".join(lines).encode("utf-8"), dtype=np.uint8)


def lists_of(members: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (uint8) and concatenated sorted contents (int32) of many short sets."""
    lengths = np.array([len(numbers) for numbers in members], dtype=np.int64)
    if len(lengths) and lengths.max() > 255:
        raise SystemExit("expected no lemma or synset with more than 255 synsets or relatives")
    flat = [number for numbers in members for number in sorted(numbers)]
    return lengths.astype(np.uint8), np.array(flat, dtype=np.int32)


def numbers_of(members: set[int]) -> np.ndarray:
    """The sorted numbers, int32."""
    return np.array(sorted(members), dtype=np.int32)


def pairs_of(members: set[tuple[int, int]]) -> np.ndarray:
    """The sorted pairs, int32, shape (k, 2)."""
    return np.array(sorted(members), dtype=np.int32).reshape(-1, 2)


def pointers_of(synsets: dict[tuple[str, int], Synset], *symbols: str) -> list[set[int]]:
    """For each synset the numbers of those to which it points with one of these symbols."""
    numbers = {key: number for number, key in enumerate(synsets)}
    return [{numbers[other] for other in synset.targets(*symbols)} for synset in synsets.values()]


def pointer_pairs_of(synsets: dict[tuple[str, int], Synset], *symbols: str) -> np.ndarray:
    """The same as pairs of numbers, sorted: smaller if few synsets have such pointers."""
    found = pointers_of(synsets, *symbols)
    return pairs_of({(number, other) for number, others in enumerate(found) for other in others})


def build(folder: Path) -> dict[str, np.ndarray]:
    """Make the arrays of the lexicon; ``docs/background/lexicon.md`` describes them."""
    synsets = read_synsets(folder)
    numbers = {key: number for number, key in enumerate(synsets)}
    lemmas = sorted({word for synset in synsets.values() for word in synset.words})
    ids = {lemma: number for number, lemma in enumerate(lemmas)}
    bits = {part: bit for _, part, bit in PARTS}
    parts = np.zeros(len(lemmas), dtype=np.uint8)
    membership: list[set[int]] = [set() for _ in lemmas]
    relatives: list[set[int]] = [set() for _ in lemmas]
    antonyms: set[tuple[int, int]] = set()
    for key, synset in synsets.items():
        for word in synset.words:
            parts[ids[word]] |= bits[key[0]]
            membership[ids[word]].add(numbers[key])
        for symbol, here, other, there in synset.pointers:
            if not here or symbol not in (*DERIVATIONAL, ANTONYM):
                continue
            one, two = ids[synset.words[here - 1]], ids[synsets[other].words[there - 1]]
            if one == two:
                continue
            if symbol == ANTONYM:
                antonyms.add((min(one, two), max(one, two)))
            else:
                relatives[one].add(two)
                relatives[two].add(one)
    synset_counts, synset_ids = lists_of(membership)
    relative_counts, relative_ids = lists_of(relatives)
    hypernym_counts, hypernym_ids = lists_of(pointers_of(synsets, *HYPERNYMS))
    people = first_people(folder, synsets)
    males, females = (
        {ids[lemma] for lemma, sense in people.items() if sense in sex} for sex in sexes(synsets)
    )
    first_synsets = np.cumsum([0] + [sum(key[0] == part for key in synsets) for _, part, _ in PARTS])
    return {
        "lemmas": text_block(lemmas),
        "parts_of_speech": parts,
        "synset_counts": synset_counts,
        "synset_ids": synset_ids,
        "first_synsets": first_synsets.astype(np.int32),
        "relative_counts": relative_counts,
        "relative_ids": relative_ids,
        "exceptions": text_block(read_exceptions(folder)),
        "antonyms": pairs_of(antonyms),
        "males": numbers_of(males),
        "females": numbers_of(females),
        "countries": pairs_of(countries_of_lemmas(synsets, ids, relatives)),
        "hypernym_counts": hypernym_counts,
        "hypernym_ids": hypernym_ids,
        "wholes": pointer_pairs_of(synsets, *WHOLES),
        "consequences": pointer_pairs_of(synsets, *CONSEQUENCES),
    }


def license_text(folder: Path) -> str:
    """The licence at the top of every WordNet file, without its line numbers."""
    with (folder / "data.noun").open(encoding="utf-8") as lines:
        top = []
        for line in lines:
            if not line.startswith("  "):
                break
            top.append(line.strip().partition(" ")[2].rstrip())
    return "\n".join(top) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the lexicon and its licence."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dict_folder", type=Path, help="folder with data.noun, noun.exc, ... of WordNet 3.0")
    parser.add_argument("out_folder", type=Path, help=f"where {LEXICON_FILE} and {LICENSE_FILE} go")
    options = parser.parse_args(arguments)
    check_folder(options.dict_folder)
    arrays = build(options.dict_folder)
    options.out_folder.mkdir(parents=True, exist_ok=True)
    content = save(arrays)
    (options.out_folder / LEXICON_FILE).write_bytes(content)
    (options.out_folder / LICENSE_FILE).write_text(license_text(options.dict_folder), encoding="utf-8")
    print(f"{len(arrays['parts_of_speech'])} lemmas, {len(content) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
