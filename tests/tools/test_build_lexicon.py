from __future__ import annotations

import re
from pathlib import Path

import build_lexicon as script
import numpy as np
import pytest
from safetensors.numpy import load, save

from forest_align.lexicon._wordnet_store import WordNetStore
from forest_align.types import ModelError

TOP = "  1 This database is free.  \n  2 Really.  \n"

# Two nouns, two verbs, an adjective of two words with a marker, an adverb; pointers in all directions.
FILES = {
    "data.noun": "00000100 03 n 02 Creator 0 maker 0 001 + 00000300 v 0101 | who creates\n"
    "00000200 03 n 01 maker 0 000 | a thing\n",
    "data.verb": "00000300 29 v 02 create 0 make 0 001 @ 00000400 v 0000 01 + 08 00 | to create\n"
    "00000400 29 v 01 do 0 000 01 + 08 00 | to do\n",
    "data.adj": "00000500 00 s 02 ad_hoc(a) 0 made 0 001 \\ 00000100 n 0101 | of a creator\n",
    "data.adv": "00000600 02 r 01 ad_hoc 0 001 ! 00000600 r 0101 | in such a way\n",
    "index.noun": "creator n 1 1 + 1 0 00000100\nmaker n 2 1 + 2 0 00000100 00000200\n",
    "noun.exc": "",
    "verb.exc": "made make\ndid do\n",
    "adj.exc": "",
    "adv.exc": "",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text((TOP if name.startswith("data") else "") + text)
    return tmp_path


def build(folder: Path, out: Path) -> bytes:
    script.main([str(folder), str(out)])
    return (out / "wordnet.safetensors").read_bytes()


def test_the_store_holds_what_the_folder_says(folder: Path, tmp_path: Path) -> None:
    store = WordNetStore.from_bytes(build(folder, tmp_path / "out"))
    assert store.lemmas == ["ad_hoc", "create", "creator", "do", "made", "make", "maker"]
    assert store.has("creator", "n") and not store.has("creator", "v")
    assert store.has("ad_hoc", "a") and store.has("ad_hoc", "r")
    assert store.synsets("maker") == [0, 1]
    assert store.synsets("create", "v") == store.synsets("make", "v") == [2]
    assert store.synsets("create", "n") == []
    assert store.synsets("nonsense") == store.relatives("nonsense") == []
    assert store.exceptions == {("v", "made"): "make", ("v", "did"): "do"}
    assert store.collocation_starts == {"ad"}


def test_derivational_pointers_and_pertainyms_go_both_ways_and_others_nowhere(
    folder: Path, tmp_path: Path
) -> None:
    store = WordNetStore.from_bytes(build(folder, tmp_path / "out"))
    related = {lemma: {store.lemmas[k] for k in store.relatives(lemma)} for lemma in store.lemmas}
    assert related["creator"] == {"create", "ad_hoc"}
    assert related["create"] == related["ad_hoc"] == {"creator"}
    assert related["do"] == related["maker"] == set()


def test_counts_are_hexadecimal_and_pointers_are_between_words(folder: Path, tmp_path: Path) -> None:
    nouns = " ".join(f"noun{k} 0" for k in range(1, 17))
    verbs = " ".join(f"verb{k} 0" for k in range(1, 13))
    (folder / "data.noun").write_text(
        f"{TOP}00000100 03 n 10 {nouns} 002 + 00000300 v 100b + 00000300 v 0000 | sixteen nouns\n"
        "00000200 03 n 01 same 0 001 + 00000310 v 0101 | a noun that is also a verb\n"
    )
    (folder / "data.verb").write_text(
        f"{TOP}00000300 29 v 0c {verbs} 000 | twelve verbs\n00000310 29 v 01 same 0 000 | a verb\n"
    )
    (folder / "data.adj").write_text(
        f"{TOP}00000500 00 s 02 Done(p) 0 quick 0 001 < 00000300 v 0101 | a participle\n"
    )
    (folder / "data.adv").write_text(f"{TOP}00000600 02 r 01 quickly 0 001 \\ 00000500 s 0102 | an adverb\n")
    (folder / "verb.exc").write_text("did do\nput_on put_on\nlay lie lay\n")
    store = WordNetStore.from_bytes(build(folder, tmp_path / "out"))
    related = {lemma: {store.lemmas[k] for k in store.relatives(lemma)} for lemma in store.lemmas}
    assert {lemma: others for lemma, others in related.items() if others} == {
        "noun16": {"verb11"},
        "verb11": {"noun16"},
        "done": {"verb1"},
        "verb1": {"done"},
        "quick": {"quickly"},
        "quickly": {"quick"},
    }
    assert store.synsets("same") == [1, 3]
    assert [store.synsets("same", part) for part in "nvar"] == [[1], [3], [], []]
    assert store.exceptions == {("v", "did"): "do", ("v", "lay"): "lie"}


PEOPLE = (
    ("00000010", "18", "male_person", "~ 00000020 n 0000", "a person of one sex"),
    ("00000020", "18", "Man", "! 00000030 n 0101", "an adult"),
    ("00000030", "18", "woman", "! 00000020 n 0101", "an adult female"),
    ("00000040", "18", "parent", "", "a father or mother"),
    ("00000050", "18", "wife", "", "a married woman; a man's partner"),
    ("00000060", "18", "Ann", "@i 00000030 n 0000", "woman in a tale"),
    ("00000070", "05", "queen", "", "a female insect"),
    ("00000080", "18", "queen", "", "a female sovereign"),
    ("00000090", "18", "queen", "", "a man of some kind"),
    ("00000100", "15", "country", "~ 00000110 n 0000", "a place", "state"),
    ("00000110", "15", "island_country", "", "a country that is an island"),
    ("00000120", "15", "Malta", "@i 00000110 n 0000 + 00000160 n 0101", "an island"),
    ("00000130", "15", "Wales", "@i 00000100 n 0000 #p 00000140 n 0000 #p 00000150 n 0000", "a part"),
    ("00000140", "15", "UK", "@i 00000100 n 0000", "a kingdom"),
    ("00000150", "15", "Europe", "", "a continent"),
    ("00000160", "18", "Maltese", "", "a person"),
)


@pytest.fixture
def people(folder: Path) -> Path:
    """A folder with the nouns of PEOPLE; the index has the last sense of a noun of several senses last."""
    lines, senses = [], dict[str, list[str]]()
    for offset, file, word, pointers, gloss, *more in PEOPLE:
        words = "".join(f" {one} 0" for one in (word, *more))
        count = len(pointers.split()) // 4
        lines.append(f"{offset} {file} n {1 + len(more):02x}{words} {count:03d} {pointers} | {gloss}\n")
        senses.setdefault(word.lower(), []).append(offset)
    (folder / "data.noun").write_text(TOP + "".join(lines))
    for name in ("data.verb", "data.adj", "data.adv"):
        (folder / name).write_text(TOP)
    index = "".join(f"{w} n {len(o)} 0 {len(o)} 0 {' '.join(o)}\n" for w, o in sorted(senses.items()))
    (folder / "index.noun").write_text(TOP + index)
    return folder


def test_antonyms_go_both_ways(people: Path, tmp_path: Path) -> None:
    store = WordNetStore.from_bytes(build(people, tmp_path / "out"))
    assert store.antonyms("man") == {store.ids["woman"]}
    assert store.antonyms("woman") == {store.ids["man"]}
    assert store.antonyms("wife") == store.antonyms("nonsense") == frozenset()


def test_the_sex_of_people_comes_from_the_hierarchy_and_from_glosses(people: Path, tmp_path: Path) -> None:
    store = WordNetStore.from_bytes(build(people, tmp_path / "out"))
    assert {word: store.sex(word) for word in ("man", "woman", "wife", "queen")} == {
        "man": "male",
        "woman": "female",
        "wife": "female",
        "queen": "female",  # the first of its senses that is a person
    }
    assert {store.sex(word) for word in ("parent", "ann", "malta", "nonsense")} == {""}


def test_countries_are_those_that_a_word_or_a_relative_names(people: Path, tmp_path: Path) -> None:
    store = WordNetStore.from_bytes(build(people, tmp_path / "out"))
    assert store.countries("malta") == store.countries("maltese") == {11}
    assert store.countries("uk") < store.countries("wales")
    assert len(store.countries("wales")) == 2
    assert {store.countries(word) for word in ("europe", "country", "woman")} == {frozenset()}


def test_hypernyms_wholes_and_consequences_go_one_way(people: Path, tmp_path: Path) -> None:
    (people / "data.verb").write_text(
        f"{TOP}00000300 29 v 01 snore 0 001 * 00000310 v 0000 01 + 08 00 | loudly\n"
        "00000310 29 v 01 sleep 0 001 @ 00000320 v 0000 01 + 08 00 | rest\n"
        "00000320 29 v 01 rest 0 000 01 + 08 00 | do little\n"
        "00000330 29 v 01 lull 0 001 > 00000310 v 0000 01 + 08 00 | make sleep\n"
    )
    store = WordNetStore.from_bytes(build(people, tmp_path / "out"))
    number = {lemma: store.synsets(lemma)[0] for lemma in store.lemmas}
    relations = {
        name: {
            (one, two) for one in number for two in number if number[two] in getattr(store, name)(number[one])
        }
        for name in ("hypernyms", "wholes", "consequences")
    }
    assert relations == {
        "hypernyms": {
            *(("ann", "woman"), ("malta", "island_country"), ("wales", "country"), ("wales", "state")),
            *(("uk", "country"), ("uk", "state"), ("sleep", "rest")),
        },
        "wholes": {("wales", "uk"), ("wales", "europe")},
        "consequences": {("snore", "sleep"), ("lull", "sleep")},
    }


@pytest.mark.parametrize("line", ["wife n 1 0 1 0 00000051", "wife n one 0", "wife"])
def test_a_broken_line_of_the_index_is_named(line: str, people: Path, tmp_path: Path) -> None:
    (people / "index.noun").write_text(TOP + line + "\n")
    with pytest.raises(SystemExit, match=r"index\.noun:3: expected a line of a WordNet index file"):
        build(people, tmp_path / "out")


@pytest.mark.parametrize("missing", ["data.noun", "index.noun", "adv.exc"])
def test_a_folder_that_is_not_wordnets_is_told_by_what_it_lacks(
    missing: str, folder: Path, tmp_path: Path
) -> None:
    (folder / missing).unlink()
    with pytest.raises(SystemExit, match=rf"{re.escape(missing)}: no such file; expected the dict folder"):
        build(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_damaged_lexicon_file_is_a_model_error(folder: Path, tmp_path: Path) -> None:
    content = build(folder, tmp_path / "out")
    for damaged in (b"", content[:200], content[: len(content) // 2]):
        with pytest.raises(ModelError, match="damaged"):
            WordNetStore.from_bytes(damaged)
    arrays = load(content)
    broken = dict(arrays, exceptions=np.frombuffer(b"v made", dtype=np.uint8))
    for changed in ({"lemmas": arrays["lemmas"]}, broken):
        with pytest.raises(ModelError, match="damaged"):
            WordNetStore.from_bytes(save(changed))
