"""Each benchmark reads the right file for each table and scores it in the right way.

The corpora are made so that another file, side, version or part of the data gives other figures.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.cli.commands.benchmark import IdentityAligner
from forest_align.eval.benchmarks.benchmark_corpora import BENCHMARKS
from forest_align.eval.benchmarks.task import Figures, Files, Task
from forest_align.types import InputError, Node


def write(folder: Path, name: str, contents: dict[str, str], split: str = "") -> Task:
    """Write the files of a benchmark, given by the ends of their names, and load it."""
    benchmark = BENCHMARKS[name]
    split = split or benchmark.default_split
    for file in benchmark.files[split]:
        (found,) = [text for end, text in contents.items() if file.endswith(end)]
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        data = found.encode()
        path.write_bytes(gzip.compress(data) if file.endswith(".gz") else data)
    return load(folder, name, split)


def load(folder: Path, name: str, split: str = "") -> Task:
    benchmark = BENCHMARKS[name]
    split = split or benchmark.default_split
    return benchmark.load(Files(benchmark.paths(folder, split)), split)


def score(task: Task, *links: str) -> dict[str, Figures]:
    """Figures of alignments, or those of the identity baseline, by table."""
    alignments = [
        Alignment(*pair, Links.from_pharaoh(found)) for pair, found in zip(task.pairs, links, strict=False)
    ]
    found = task.score(alignments or list(IdentityAligner().align_many(task.pairs)))
    return {figures.table: figures for figures in found}


def jacana(source: str, target: str, sure: str, possible: str = "") -> str:
    return json.dumps(
        [{"id": "1", "source": source, "target": target, "sureAlign": sure, "possibleAlign": possible}]
    )


def precision_and_recall(found: dict[str, Figures]) -> dict[str, tuple[float, float]]:
    return {
        table: (round(its.values["precision"], 1), round(its.values["recall"], 1))
        for table, its in found.items()
    }


def test_msr_rte_has_a_table_of_each_version_of_the_gold(tmp_path: Path) -> None:
    task = write(
        tmp_path,
        "msr-rte",
        {
            "majority.json": jacana("a b", "a c", "0-0"),
            "phrasal.json": jacana("a b", "a c", "0-0 0-1 1-0 1-1"),
        },
    )
    assert precision_and_recall(score(task, "0-0 1-1")) == {
        "msr-rte": (50, 100),
        "msr-rte phrasal": (100, 50),
    }


SENTENCES = "the dog barked", "dogs did bark"
STANFORD = """<s><tree style="penn">(ROOT (S (NP (DT the) (NN dog)) (VBD barked)))</tree>
<dependencies style="typed"><dep type="det"><governor idx="2">dog</governor><dependent idx="1">the</dependent>
</dep><dep type="nsubj"><governor idx="3">barked</governor><dependent idx="2">dog</dependent></dep>
<dep type="root"><governor idx="0">ROOT</governor><dependent idx="3">barked</dependent></dep>
</dependencies></s>
<s><tree style="penn">(ROOT (S (NNS dogs) (VP (VBD did) (VB bark))))</tree>
<dependencies style="typed"><dep type="nsubj"><governor idx="3">bark</governor>
<dependent idx="1">dogs</dependent></dep><dep type="aux"><governor idx="3">bark</governor>
<dependent idx="2">did</dependent></dep>
<dep type="root"><governor idx="0">ROOT</governor><dependent idx="3">bark</dependent></dep></dependencies></s>
"""
EDINBURGH = {
    ".sure.json": jacana(*SENTENCES, "0-0 1-0", "2-2"),
    ".sure+possible.json": jacana(*SENTENCES, "0-0 1-0", "2-1 2-2"),
    ".phrasal.json": jacana(*SENTENCES, "2-2"),
    ".stanford.xml.gz": STANFORD,
}


def test_edinburgh_has_a_table_of_each_version_of_the_gold_and_of_its_dependencies(tmp_path: Path) -> None:
    assert precision_and_recall(score(write(tmp_path, "edinburgh", EDINBURGH), "1-0 2-2")) == {
        "edinburgh": (50, 50),
        "edinburgh sure+possible": (100, 50),
        "edinburgh phrasal": (50, 100),
        # Sure links align no two dependencies; with the possible ones the subjects and the roots correspond,
        # which is what the run found, and the root with the auxiliary's head does not.
        "edinburgh dependencies": (0, 100),
        "edinburgh dependencies sure+possible": (100, 100),
    }


def test_trees_of_other_sentences_are_refused(tmp_path: Path) -> None:
    other = STANFORD.replace("(VBD did) ", "")
    with pytest.raises(InputError, match=r"stanford\.xml\.gz: expected the trees of the corpus's sentences"):
        write(tmp_path, "edinburgh", EDINBURGH | {".stanford.xml.gz": other})


@pytest.mark.parametrize("name", ["mtref", "wiki"])
def test_multimwa_has_a_second_table_where_there_are_possible_links(name: str, tmp_path: Path) -> None:
    line = "1\ta b\tN/A\ta b\tN/A\t1\t1\t0-0\t{}\n"
    both = score(write(tmp_path, name, {".tsv": line.format("1-1")}), "0-0 1-1")
    assert precision_and_recall(both) == {name: (50, 100), f"{name} sure+possible": (100, 100)}
    assert list(score(write(tmp_path, name, {".tsv": line.format("")}), "0-0 1-1")) == [name]


def enju(words: str, annotations: str, prefix: str) -> str:
    """A sentence of two words; the annotations are those of the whole, the first and the second."""
    first, second = words.split()
    whole, one, two = (
        " ".join(f'pa{k}="{aligned}"' for k, aligned in enumerate(found.split(","), start=1))
        for found in annotations.split()
    )
    return (
        f'<sentence id="{prefix}"><cons id="c0" cat="S" sem_head="c2" {whole}>'
        f'<cons id="c1" cat="NP" sem_head="t0" {one}><tok id="t0" pos="NN" base="x">{first}</tok></cons> '
        f'<cons id="c2" cat="VP" sem_head="t1" {two}><tok id="t1" pos="VB" base="x">{second}</tok></cons>'
        "</cons></sentence>"
    )


JUDGED = enju("dogs bark", "c0,c0 c1,-1 -1,c2", "s"), enju("dogs howl", "c0,c0 c1,-1 -1,c2", "t")


def test_spade_is_judged_by_its_annotators(tmp_path: Path) -> None:
    # Both align the wholes, only the first annotator the first words, only the second one the second words.
    task = write(tmp_path, "spade", {"s-001.xml": JUDGED[0], "t-001.xml": JUDGED[1]})
    scores = score(task)
    assert list(scores) == ["spade", "spade with nulls", "spade people", "spade people with nulls"]
    assert precision_and_recall(scores)["spade"] == (100, 0)
    # The run has the first words, and as nulls the whole and the second word of either side. The first
    # annotator has the first words and the null second words too; both agree on the wholes alone.
    assert precision_and_recall(scores)["spade with nulls"] == (60, 0)


@pytest.mark.parametrize(
    "names",
    [
        "{part}/s-{k}.xml {part}/t-{k}.xml",
        "data/{part}/annotation/s-{k}.xml.gz data/{part}/annotation/t-{k}.xml.gz",
        "{part}_source/{k}.xml {part}_target/{k}.xml",
        "SPADE-{part}-{k}.src.xml SPADE-{part}-{k}.tgt.xml",
    ],
)
def test_the_parts_of_spade_are_found_whatever_their_files_are_called(names: str, tmp_path: Path) -> None:
    for part, pairs in (("dev", (1, 2)), ("test", (3,))):
        for k in pairs:
            for name, text in zip(names.format(part=part, k=k).split(), JUDGED, strict=True):
                path = tmp_path / "corpus" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    benchmark = BENCHMARKS["spade"]
    assert benchmark.split_for(tmp_path / "corpus") == "dev"
    dev, test = (load(tmp_path / "corpus", "spade", part) for part in ("dev", "test"))
    assert [name.split("-")[-1] for name in dev.ids] == ["1", "2"]
    assert [name.split("-")[-1] for name in test.ids] == ["3"]
    people = [one for one in test.score([Alignment(*test.pairs[0])]) if one.table == "spade people"]
    # Each annotator has two pairs; the others agree on all of theirs, of which one is common.
    assert [one.label for one in people] == ["people, each against the others", "annotator 1", "annotator 2"]
    assert {one.values["precision"] for one in people} == {one.values["recall"] for one in people} == {50}


def test_pairs_of_spade_that_cannot_be_used_are_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    bare = JUDGED[0].replace("pa1", "x").replace("pa2", "y")
    for k, (source, target) in enumerate([JUDGED, (bare, bare), ("<sentence>", JUDGED[1])]):
        (tmp_path / "test" / f"s-{k}.xml").write_text(source)
        (tmp_path / "test" / f"t-{k}.xml").write_text(target)
    task = load(tmp_path, "spade", "test")
    assert list(task.ids) == ["0"]
    assert [Path(str(one.file)).name for one in task.skipped] == ["s-1.xml", "s-2.xml"]
    assert "expected 2 annotators, found 0" in task.skipped[0].message


def test_a_folder_without_spade_and_a_sentence_without_its_partner_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected s-NAME\.xml and t-NAME\.xml files in a folder 'dev'"):
        load(tmp_path, "spade", "dev")
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "s-1.xml").write_text(JUDGED[0])
    with pytest.raises(InputError, match=r"s-1\.xml: expected a file of the target beside it"):
        load(tmp_path, "spade", "dev")


def test_trees_that_an_aligner_chose_are_compared_with_the_gold_trees(tmp_path: Path) -> None:
    task = write(tmp_path, "spade", {"s-001.xml": JUDGED[0], "t-001.xml": JUDGED[1]})
    # Gold: the second word is the head of the first. A noun phrase of the two has its last word as its head,
    # too; "howl" as an adverb below a noun has not.
    right, wrong = "(S (NP (NN dogs)) (VP (VB bark)))", "(NP (NP (NN dogs)) (ADVP (RB howl)))"
    alignment = Alignment(*task.pairs[0], source_tree=right, target_tree=wrong, root_aligned=True)
    found = {one.table: one for one in task.score([alignment])}["spade"].values
    assert (found["uas"], found["reachability"]) == (50, 100)
    without = {one.table: one for one in task.score([Alignment(*task.pairs[0])])}["spade"].values
    assert "uas" not in without


WA = """<sentence id="1" status="">
// The dog barked
// the dog ran
<source>
1 The :
2 dog :
3 barked :
</source>
<translation>
1 the :
2 dog :
3 ran :
</translation>
<alignment>
1 2 <==> 1 2 // EQUI // 5 // The dog <==> the dog
</alignment>
</sentence>
"""
ISTS = {
    ".wa": WA,
    ".sent1.chunk.txt": "[ The dog ] [ barked ]\n",
    ".sent2.chunk.txt": "[ the dog ] [ ran ]\n",
}


def test_ists_aligns_all_chunks_not_only_those_that_the_gold_aligns(tmp_path: Path) -> None:
    scores = score(write(tmp_path, "ists", ISTS), *["0-0 1-1 2-2"] * 3)
    assert list(scores) == ["ists headlines", "ists images", "ists answers-students", "ists"]
    # "barked" and "ran" are aligned, which the gold does not do: 2 of a weight of 3 are right.
    assert set(precision_and_recall(scores).values()) == {(66.7, 100)}


@pytest.mark.parametrize("side", [1, 2])
def test_a_missing_file_of_chunks_is_named(side: int, tmp_path: Path) -> None:
    write(tmp_path, "ists", ISTS)
    name = f"STSint.input.images.sent{side}.chunk.txt"
    (tmp_path / "ists" / name).unlink()
    with pytest.raises(InputError, match=f"{name}: no such file"):
        load(tmp_path, "ists")


@pytest.mark.filterwarnings("ignore:.*expected chunks of the words")
@pytest.mark.parametrize("side", [1, 2])
def test_pairs_with_chunks_of_other_words_are_skipped_and_named(side: int, tmp_path: Path) -> None:
    broken = WA.replace("1 2 <==> 1 2 //", "1 2 <==>").replace('id="1"', 'id="2"')
    three = WA + broken + WA.replace('id="1"', 'id="3"') + WA.replace('id="1"', 'id="4"')
    files = {".wa": three} | {end: 4 * chunks for end, chunks in ISTS.items() if end != ".wa"}
    lines = files[f".sent{side}.chunk.txt"].splitlines()
    files[f".sent{side}.chunk.txt"] = "\n".join([*lines[:2], "[ A cat ] sat ]", lines[3]]) + "\n"
    task = write(tmp_path, "ists", files)
    names = ("headlines", "images", "answers-students")
    assert list(task.ids) == [f"{name}:{id}" for name in names for id in (1, 4)]
    places = [(Path(str(problem.file)).name, problem.line) for problem in task.skipped]
    line = 1 + three.splitlines().index("1 2 <==> EQUI // 5 // The dog <==> the dog")
    assert places == [
        place
        for name in names
        for place in ((f"STSint.input.{name}.wa", line), (f"STSint.input.{name}.sent{side}.chunk.txt", 3))
    ]
    assert "expected '[ … ] [ … ]' of the words" in task.skipped[1].message
    assert precision_and_recall(score(task, *["0-0 1-1 2-2"] * 6))["ists"] == (66.7, 100)


@pytest.mark.filterwarnings("ignore:.*expected chunks of the words")
def test_chunks_of_other_words_alone_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"headlines\.sent1\.chunk\.txt:1: pair '1': expected"):
        write(tmp_path, "ists", ISTS | {".sent1.chunk.txt": "[ A cat ] [ sat ]\n"})


# Pairs by their content words, and the share of these that the identity baseline covers in the source, in the
# target, and on average.
LONG_SOURCE = "dogs bark loudly outside", "dogs"  # 0.25, 1, 0.625
LONG_TARGET = "dogs", "dogs bark"  # 1, 0.5, 0.75
MIDDLE = "dogs bark loudly outside", "dogs sleep quietly inside"  # 0.25, 0.25, 0.25


def test_sts2013_covers_both_sentences_in_each_set(tmp_path: Path) -> None:
    def lines(*golds: int) -> str:
        pairs = zip(golds, (LONG_TARGET, LONG_SOURCE), strict=True)
        return "".join(f"{gold}\t{source}\t{target}\n" for gold, (source, target) in pairs)

    def swapped(*golds: int) -> str:
        pairs = zip(golds, (LONG_TARGET, LONG_SOURCE), strict=True)
        return "".join(f"{gold}\t{target}\t{source}\n" for gold, (source, target) in pairs)

    sets = {"headlines.test.tsv": lines(5, 0), "OnWN.test.tsv": lines(0, 5), "FNWN.test.tsv": swapped(5, 0)}
    found = score(write(tmp_path, "sts2013", sets))["sts2013"].values
    names = ("headlines", "OnWN", "FNWN")
    assert [round(found[f"pearson.{name}"]) for name in names] == [100, -100, 100]
    assert found["pearson"] == pytest.approx(100 / 3)


def classified(found: dict[str, Figures], table: str) -> tuple[float, float]:
    values = found[table].values
    return values["threshold"], round(values["accuracy"], 1)


def test_msrp_covers_both_sentences_and_measures_the_last_file_only(tmp_path: Path) -> None:
    def lines(*items: tuple[int, tuple[str, str]]) -> str:
        head = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
        return head + "".join(f"{label}\t1\t2\t{source}\t{target}\n" for label, (source, target) in items)

    files = {
        "train.tsv": lines((1, LONG_TARGET)),
        "val.tsv": lines((0, LONG_SOURCE)),
        "test.tsv": lines((1, LONG_TARGET), (1, LONG_SOURCE), (0, MIDDLE)),
    }
    # The threshold lies half-way between 0.625 and 0.75; over all pairs it would lie below 0.625.
    assert classified(score(write(tmp_path, "msrp", files, "test")), "msrp") == (68.75, 66.7)
    # Here the training part alone sets the threshold: 0.75 is that of its only pair.
    assert classified(score(write(tmp_path, "msrp", files)), "msrp") == (75, 100)


def test_rte_covers_the_hypothesis_and_measures_the_last_file_only(tmp_path: Path) -> None:
    def xml(*items: tuple[str, tuple[str, str]]) -> str:
        pairs = (
            f'<pair id="{k}" entailment="{label}" task="IE">\n<t>{text}</t>\n<h>{hypothesis}</h>\n</pair>\n'
            for k, (label, (text, hypothesis)) in enumerate(items)
        )
        return f'<?xml version="1.0"?>\n<entailment-corpus>\n{"".join(pairs)}</entailment-corpus>\n'

    tuning = xml(("YES", LONG_SOURCE), ("NO", LONG_TARGET))
    files = {
        "rte1_dev.xml": tuning,
        "rte1_test.xml": tuning,
        "rte2_dev.xml": tuning,
        "rte2_test.xml": tuning,
        "rte3_dev.xml": xml(("YES", LONG_SOURCE), ("YES", LONG_TARGET), ("NO", MIDDLE)),
        "rte3_test.xml": xml(("NO", LONG_SOURCE), ("NO", MIDDLE), ("NO", MIDDLE), ("YES", MIDDLE)),
    }
    assert classified(score(write(tmp_path, "rte", files)), "rte") == (75, 66.7)
    assert classified(score(write(tmp_path, "rte", files, "test")), "rte") == (75, 50)


def test_qa_covers_the_question(tmp_path: Path) -> None:
    right, wrong = "dogs that bark sleep badly every night", "dogs"
    table = f"qtext,label,atext\ndogs bark,0,{wrong}\ndogs bark,1,{right}\n"
    found = score(write(tmp_path, "qa", {".csv": table}))["qa"].values
    assert (found["map"], found["mrr"]) == (100, 100)


@pytest.mark.parametrize("end", ["majority.json", "phrasal.json"])
def test_a_file_without_pairs_is_refused(end: str, tmp_path: Path) -> None:
    files = {kind: jacana("a", "a", "0-0") for kind in ("majority.json", "phrasal.json")}
    with pytest.raises(InputError, match=rf"dev\.{end}: expected sentence pairs, found none"):
        write(tmp_path, "msr-rte", files | {end: "[]"})


def test_etpc_reads_tokens_and_typed_phrases(tmp_path: Path) -> None:
    unit = {
        "type": "Synthetic/analytic substitution",
        "sense_preserving": True,
        "source": [1],
        "target": [1, 2],
    }
    line = {"id": "4", "source": ["He", "died"], "target": ["He", "passed", "away"], "phrases": [unit]}
    task = write(tmp_path, "etpc", {".jsonl": json.dumps(line) + "\n"}, "test")
    assert (task.ids, task.pairs[0][1].words) == (["4"], ("He", "passed", "away"))
    scores = score(task, "0-0 1-1")
    assert list(scores) == ["etpc", "etpc Synthetic/analytic substitution", "etpc core"]
    assert (scores["etpc"].values["near"], scores["etpc"].values["exact"]) == (100, 0)
    with pytest.raises(InputError, match=r"etpc-dev\.jsonl:1:.*pair '1': expected phrases, found none"):
        write(tmp_path, "etpc", {".jsonl": '{"source": "a", "target": "b"}\n'})


def test_verses_have_books_for_dev_that_are_no_part_of_train(tmp_path: Path) -> None:
    unit = {"source": [1], "target": [1, 2]}
    lines = [
        {"id": name, "source": ["He", "died"], "target": ["He", "passed", "away"], "phrases": [unit]}
        for name in ("GEN:1:1", "ROM:1:1", "GEN:1:2", "1SA:1:1")
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    task = write(tmp_path, "verses", {".jsonl.gz": text})
    assert task.ids == ["ROM:1:1", "1SA:1:1"]
    assert load(tmp_path, "verses", "train").ids == ["GEN:1:1", "GEN:1:2"]
    pair = PhrasePair(Node(1, 2, "V"), Node(1, 3, "V"), 1.0)
    (found,) = task.score([Alignment(*both, phrases=(pair,)) for both in task.pairs])
    assert (found.table, found.values["exact_f1"], found.values["units"]) == ("verses core", 100, 2)
    (tmp_path / "phrases/verses-train.jsonl.gz").write_bytes(gzip.compress(text[: text.index("\n")].encode()))
    with pytest.raises(InputError, match=r"jsonl\.gz: expected verses of the part dev, found none"):
        load(tmp_path, "verses")


def test_ssd_wants_the_spans_that_are_labelled_different(tmp_path: Path) -> None:
    lines = "premise\thypothesis\tspan_similarity\tsentence_similarity\n" + (
        "{{A}} dog, {{isn't asleep}}.\t{{One}} dog, {{sleeps}}.\t1,0\t0\n"
    )
    task = write(tmp_path, "ssd", {".tsv": lines})
    assert task.pairs[0][0].words == ("A", "dog", ",", "is", "n't", "asleep", ".")
    assert score(task, "0-0 1-1 2-2 6-4")["ssd"].values["f1"] == 100
    # Without the links of "A" and "One" each side has a span too many.
    assert score(task, "1-1 2-2 6-4")["ssd"].values["f1"] == 50
    with pytest.raises(InputError, match=r"expected marked spans, found none"):
        write(tmp_path, "ssd", {".tsv": "a\tb\n"})
