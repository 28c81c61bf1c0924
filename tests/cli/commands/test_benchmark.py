"""The benchmark command on corpora of two pairs each, and on the real ones where they are."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import shutil
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import numpy as np
import pytest

import forest_align
from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.cli.commands import benchmark
from forest_align.cli.commands.benchmark import NAMES, BenchmarkOptions, benchmark_aligner
from forest_align.eval.benchmarks.benchmark_corpora import BENCHMARKS
from forest_align.eval.files.result_tables import citations, published_rows
from forest_align.types import Node

from ...command_line import CommandLine, written
from ...places import SHARED

DATA = SHARED / "data"

JACANA = [
    {
        "id": "1",
        "source": "The dog barked .",
        "target": "the dog ran .",
        "sureAlign": "0-0 1-1 3-3",
        "possibleAlign": "2-2",
    },
    {"id": "2", "source": "yes", "target": "no", "sureAlign": "0-0", "possibleAlign": ""},
]
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
3 <==> 3 // REL // 3 // barked <==> ran
</alignment>
</sentence>
"""
ENJU = """<sentence id="{0}"><cons id="c0" cat="S" sem_head="c2" pa1="c0" pa2="c0"><cons id="c1" cat="NP"
sem_head="t0" pa1="c1" pa2="-1"><tok id="t0" pos="NN" base="dog">dogs</tok></cons> <cons id="c2" cat="VP"
sem_head="t1" pa1="-1" pa2="-1"><tok id="t1" pos="VB" base="bark">bark</tok></cons></cons></sentence>
"""
RTE = """<?xml version="1.0" encoding="UTF-8"?>
<entailment-corpus>
<pair id="1" entailment="YES" task="IE">
<t>A dog barked.</t>
<h>A dog barked.</h>
</pair>
<pair id="2" entailment="NO" task="IE">
<t>A dog barked.</t>
<h>Cats sleep.</h>
</pair>
</entailment-corpus>
"""
MSRP = (
    "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    "1\t1\t2\tA dog barked.\tA dog barked.\n0\t3\t4\tA dog.\tCats sleep.\n"
)
ETPC = {
    "id": "1",
    "source": ["The", "dog", "barked"],
    "target": ["the", "puppy", "dog", "barked"],
    "phrases": [
        {"type": "Same Polarity Substitution (habitual)", "source": [1], "target": [1, 2]},
        {"type": "Change of order", "source": [1, 2], "target": [2, 3]},
    ],
}
SSD = (
    "premise\thypothesis\tspan_similarity\tsentence_similarity\n"
    "A {{dog}} barked.\tA {{cat}} barked.\t0\t0\n{{A}} dog.\t{{Some}} dog.\t1\t1\n"
)
EDITS = {
    "1": {
        "sentence-1": "The dog barked",
        "sentence-2": "The dog ran",
        "edits-combination-0": {
            "0": {
                "type": "Substitute",
                "sentence-1-token-indices": [2, 3],
                "sentence-2-token-indices": [2, 3],
            }
        },
    }
}
SICK = (
    "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    "1\tA dog barked\tA dog barked\t5\tENTAILMENT\n2\tA dog barked\tCats sleep\t1\tNEUTRAL\n"
    "3\tA dog barked\tNo dog barked\t3\tCONTRADICTION\n"
)
TREES = [
    "(ROOT (S (NP (DT The) (NN dog)) (VP (VBD barked)) (. .)))",
    "(ROOT (S (NP (DT the) (NN dog)) (VP (VBD ran)) (. .)))",
    "(ROOT (INTJ (UH yes)))",
    "(ROOT (INTJ (UH no)))",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with tiny corpora in place of the real ones."""
    root = tmp_path_factory.mktemp("data")
    contents = {
        "json": json.dumps(JACANA),
        "wa": WA,
        "sent1.chunk.txt": "[ The dog ] [ barked ]\n",
        "sent2.chunk.txt": "[ the dog ] [ ran ]\n",
        "xml": RTE,
        "csv": "qtext,label,atext\nWho barked ?,1,A dog barked .\nWho barked ?,0,Cats sleep .\n",
    }
    by_folder = {
        "alignment/mtref": "1\tThe dog\tN/A\tthe dog\tN/A\t1\t1\t0-0 1-1\t0-1\n",
        "alignment/wiki": "1\tThe dog\tN/A\tthe dog\tN/A\t1\t1\t0-0 1-1\t\n",
        "phrases": json.dumps({**ETPC, "id": "ROM:1:1"}) + "\n",
        "differences": SSD,
        "edits": json.dumps(EDITS),
        "extrinsic/sts2013": "5\tA dog barked\tA dog barked\n0\tA dog\tCats sleep\n",
        "extrinsic/msrp": MSRP,
        "extrinsic/sick": SICK,
        "extrinsic/paws": "id\tsentence1\tsentence2\tlabel\n"
        "1\tA dog barked\tA dog barked\t1\n2\tA dog\tCats sleep\t0\n",
        "spade_sample": ENJU.format(1),
        "spade_sample/espada": ENJU.format(1),
    }
    for found in BENCHMARKS.values():
        for file in {file for files in found.files.values() for file in files}:
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if file.endswith(".xml.gz"):
                trees = "".join(f'<s><tree style="penn">\n{tree}\n</tree></s>' for tree in TREES)
                path.write_bytes(gzip.compress(trees.encode()))
            elif file.endswith(".jsonl.gz"):
                path.write_bytes(gzip.compress(by_folder["phrases"].encode()))
            else:
                of_folder = by_folder.get(file.rpartition("/")[0])
                text = of_folder or next(text for end, text in contents.items() if file.endswith(f".{end}"))
                path.write_text(text, encoding="utf-8")
    return root


class Bench:
    """Runs the command on the tiny corpora; ``folder`` has what it writes."""

    def __init__(self, cli: CommandLine, data: Path, folder: Path) -> None:
        self.cli, self.data, self.folder = cli, data, folder

    def __call__(self, name: str, *arguments: object) -> int:
        return self.cli("benchmark", name, "--data", self.data, "-o", self.folder, *arguments)

    def report(self, stem: str) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((self.folder / f"{stem}.report.json").read_text(encoding="utf-8"))
        return report

    def values(self, stem: str, table: str) -> dict[str, float]:
        values: dict[str, float] = self.report(stem)["tables"][table]["values"]
        return values


@pytest.fixture
def bench(cli: CommandLine, data: Path, tmp_path: Path) -> Bench:
    return Bench(cli, data, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_the_identity_baseline_runs_on_every_benchmark(name: str, tmp_path: Path, bench: Bench) -> None:
    assert bench(name, "--aligner", "identity") == 0
    out = bench.cli.out
    split = BENCHMARKS[name].default_split
    assert out.startswith(f"## {name}, {split}: ")
    assert "| identity (this run)" in out
    report = bench.report(f"{name}.{split}.identity")
    assert report["pairs"] >= 1
    assert report["versions"]["forest-align"]
    assert all(digest.startswith("sha256:") for digest in report["data"].values())
    lines = (tmp_path / f"{name}.{split}.identity.predictions.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == report["pairs"]


def test_figures_of_the_identity_baseline_by_hand(bench: Bench) -> None:
    bench("msr-rte", "--aligner", "identity")
    found = bench.values("msr-rte.dev.identity", "msr-rte")
    # pair 1: The-the, dog-dog, .-. all right; pair 2: nothing predicted, one link wanted
    assert (found["precision"], found["recall"], found["exact_match"]) == (100, 50, 50)
    bench("ists", "--aligner", "identity")
    found = bench.values("ists.train.identity", "ists")
    assert (found["precision"], found["recall"]) == (100, pytest.approx(200 / 3, abs=0.01))
    bench("msrp", "--aligner", "identity")
    assert bench.values("msrp.dev.identity", "msrp")["accuracy"] == 100
    bench("qa", "--aligner", "identity")
    assert bench.values("qa.dev.identity", "qa")["map"] == 100


@pytest.mark.parametrize(
    ("option", "value", "aligner"),
    [
        ("--ppdb", "table.tsv", "the sultan aligner"),
        ("--annotator", "spacy", "the sultan aligner"),
        ("--words", "dictionary", "the forest aligner"),
    ],
)
@pytest.mark.parametrize("other", ["identity", "contextual"])
def test_options_of_an_aligner_that_does_not_run_are_refused(
    other: str, option: str, value: str, aligner: str, bench: Bench
) -> None:
    assert bench("msr-rte", "--aligner", other, option, value) == 2
    assert f"{option} is for {aligner}, which is not asked for" in bench.cli.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--aligner", "nosuch"), "no aligner 'nosuch'"),
        (("--aligner", "sultan", "--ppdb", "nosuch.tsv"), "nosuch.tsv: no such file"),
        (("--links", "all"), "--links all is for contextual, forest, joint"),
        (
            ("--aligner", "forest", "--words", "dictionary", "--links", "all"),
            "--links all cannot be combined",
        ),
        (("--seed", "-1"), "expected at least 0, found -1"),
        (("--limit", "0"), "expected at least 1 pair, found 0"),
    ],
)
def test_what_is_wrong_is_told_before_the_first_aligner_runs(
    arguments: tuple[str, ...], message: str, tmp_path: Path, bench: Bench
) -> None:
    assert bench("msr-rte", "--aligner", "identity", *arguments) == 2
    assert message in bench.cli.err
    assert list(tmp_path.iterdir()) == []


class PhraseAligner:
    """Aligns the whole sentences, and fails on a pair without a common word."""

    settings: ClassVar = {"depth": 1}

    def align_many(self, pairs):
        for source, target in pairs:
            same = [(i, j) for i, a in enumerate(source.words) for j, b in enumerate(target.words) if a == b]
            if not same:
                yield Alignment.failed("no common word")
                continue
            root = PhrasePair(Node(0, len(source), "S"), Node(0, len(target), "S"), 1.0)
            yield Alignment(source, target, Links.of(same), (root,), root_aligned=True, aligner="whole")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options with which aligners are loaded, by their names."""
    options_of: dict[str, Any] = {}

    def load(name: str, **options: Any) -> PhraseAligner:
        options_of[name] = options
        return PhraseAligner()

    monkeypatch.setattr("forest_align.aligners.load", load)
    return options_of


@pytest.fixture
def any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the name, there is an aligner of that name."""
    monkeypatch.setattr("forest_align.aligners.loading.kind_of", lambda name: name)


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch, any_name) -> None:
    monkeypatch.setattr(
        benchmark,
        "benchmark_aligner",
        lambda name, args, parser: (PhraseAligner().align_many, PhraseAligner.settings),
    )


def test_phrases_are_scored_on_the_trees_and_failures_are_told(tmp_path: Path, whole, bench: Bench) -> None:
    assert bench("edinburgh", "--aligner", "./my model/") == 1
    assert "### edinburgh constituents" in bench.cli.out
    report = bench.report("edinburgh.train..%2Fmy%20model%2F")
    assert report["failed"] == {"2": "no common word"}
    assert report["settings"] == {"depth": 1}
    found = report["tables"]["edinburgh constituents"]["values"]
    assert (found["precision"], found["reachability"]) == (100, 50)
    # wanted: The, dog, The dog, "." and the sentence of pair 1, and the one pair of words of pair 2
    assert found["recall"] == pytest.approx(100 / 6, abs=0.01)


@pytest.mark.filterwarnings("ignore:.*expected chunks of the words")
def test_pairs_that_cannot_be_read_are_named_and_the_others_are_measured(
    data: Path, tmp_path: Path, bench: Bench
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(data / "ists", folder / "ists")
    name = "STSint.input.images"
    (folder / "ists" / f"{name}.wa").write_text(WA + WA.replace('id="1"', 'id="2"'))
    (folder / "ists" / f"{name}.sent1.chunk.txt").write_text("[ The dog ] [ barked ]\n[ The dog\n")
    (folder / "ists" / f"{name}.sent2.chunk.txt").write_text(2 * "[ the dog ] [ ran ]\n")
    bench.data = folder
    assert bench("ists", "--aligner", "identity") == 1
    out, err = bench.cli.out, bench.cli.err
    assert "Pairs that cannot be used and are in no figure: 1\n" in out
    assert f"left out: {folder / 'ists' / name}.sent1.chunk.txt:2: pair '2': expected" in err
    report = bench.report("ists.train.identity")
    assert (report["pairs"], len(report["skipped"])) == (3, 1)


def test_the_ablation_is_for_forest_aligners(bench: Bench) -> None:
    assert bench("spade", "--aligner", "identity", "--ablation") == 2
    assert "--ablation is for the forest aligner" in bench.cli.err


def test_several_aligners_stand_in_one_table_with_the_significance_of_their_difference(
    monkeypatch: pytest.MonkeyPatch, any_name, bench: Bench
) -> None:
    class Nothing:
        settings: ClassVar = {}

        def align_many(self, pairs):
            return (Alignment(source, target) for source, target in pairs)

    monkeypatch.setattr("forest_align.aligners.load", lambda name: Nothing(), raising=False)
    assert bench("msr-rte", "--aligner", "identity", "--aligner", "nothing") == 0
    out = bench.cli.out
    assert out.index("| identity (this run)") < out.index("| nothing (this run)")
    assert "nothing against identity: F1 -66.7, p = 1.0000 (approximate randomization)" in out
    assert out.count("nothing against identity") == 2  # one per table
    assert bench.report("msr-rte.dev.identity")["differences"] == []
    (found,) = [
        one for one in bench.report("msr-rte.dev.nothing")["differences"] if one["table"] == "msr-rte"
    ]
    assert (found["system"], found["against"], found["figure"]) == ("nothing", "identity", "f1")
    assert (found["difference"], found["p_value"]) == (pytest.approx(-200 / 3, abs=0.01), 1)


def test_a_run_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, any_name, bench: Bench
) -> None:
    def interrupted(pairs):
        yield Alignment(*next(iter(pairs)))
        raise KeyboardInterrupt

    def run_with(align_many, *arguments):
        monkeypatch.setattr(benchmark, "benchmark_aligner", lambda name, args, parser: (align_many, {}))
        return bench("msr-rte", "--aligner", "one", *arguments)

    path = tmp_path / "msr-rte.dev.one.predictions.jsonl"
    run_with(interrupted)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1
    monkeypatch.setattr("forest_align.eval.benchmarks.runner.BATCH_SIZE", 1)
    asked = []

    def counted(pairs):
        pairs = list(pairs)
        asked.append(len(pairs))
        return (Alignment(*pair) for pair in pairs)

    assert run_with(counted, "--resume") == run_with(counted, "--resume") == 0
    assert asked == [1]  # the second pair; then nothing was left to do
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2
    assert run_with(counted) == 0
    assert asked == [1, 2]
    report = bench.report("msr-rte.dev.one")
    assert (report["resumed"], report["pairs"]) == (0, 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_trial_run_reads_the_beginnings_of_files(name: str, bench: Bench) -> None:
    assert bench(name, "--aligner", "identity", "--limit", "1") == 0
    assert "Only the first 1 pairs of each file." in bench.cli.out
    split = BENCHMARKS[name].default_split
    report = bench.report(f"{name}.{split}.identity+limit=1")
    assert report["limit"] == 1
    assert report["pairs"] == sum(
        not file.endswith((".xml.gz", "possible.json", "phrasal.json", "chunk.txt", "t-001.xml"))
        for file in BENCHMARKS[name].files[split]
    )


def test_runs_with_other_options_have_other_rows_and_files(
    tmp_path: Path, whole, monkeypatch: pytest.MonkeyPatch, bench: Bench
) -> None:
    table = written(tmp_path / "ppdb.tsv", "big\tlarge\n")
    kinds = {"a/b": "forest"}
    monkeypatch.setattr("forest_align.aligners.loading.kind_of", lambda name: kinds.get(name, name))
    sultan = ("--aligner", "sultan")
    runs = {
        "sultan": sultan,
        "sultan, ppdb=ppdb.tsv": (*sultan, "--ppdb", str(table)),
        "sultan, annotator=spacy": (*sultan, "--annotator", "spacy"),
        "forest": ("--aligner", "forest"),
        "forest, words=dictionary": ("--aligner", "forest", "--words", "dictionary"),
        "a/b, words=dictionary": ("--aligner", "a/b", "--words", "dictionary"),
        "a/b": ("--aligner", "a/b"),
        "a-b": ("--aligner", "a-b"),
    }
    for row, arguments in runs.items():
        assert bench("msr-rte", *arguments) == 1
        assert f"| {row} (this run)" in bench.cli.out
    reports = list(tmp_path.glob("*.report.json"))
    assert sorted(json.loads(path.read_text(encoding="utf-8"))["aligner"] for path in reports) == sorted(runs)


def test_predictions_without_a_record_of_what_made_them_are_not_continued(
    tmp_path: Path, bench: Bench
) -> None:
    arguments = ("msr-rte", "--aligner", "identity")
    assert bench(*arguments) == 0
    (tmp_path / "msr-rte.dev.identity.made-with.json").unlink()
    path = tmp_path / "msr-rte.dev.identity.predictions.jsonl"
    old = path.read_bytes()
    assert bench(*arguments, "--resume") == 2
    error = bench.cli.err
    assert f"{path}: cannot resume: msr-rte.dev.identity.made-with.json, with the settings" in error
    assert path.read_bytes() == old
    assert bench(*arguments) == 0


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1]"])
def test_a_broken_record_of_what_made_predictions_is_named(
    content: bytes, tmp_path: Path, bench: Bench
) -> None:
    arguments = ("msr-rte", "--aligner", "identity")
    assert bench(*arguments) == 0
    path = tmp_path / "msr-rte.dev.identity.made-with.json"
    path.write_bytes(content)
    assert bench(*arguments, "--resume") == 2
    assert f"forest-align benchmark: error: {path}: " in bench.cli.err


def digest(path: Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_report_has_all_that_is_needed_to_get_its_figures_again(
    data: Path, tmp_path: Path, whole, bench: Bench
) -> None:
    table = written(tmp_path / "ppdb.tsv", "big\tlarge\n")
    model = tmp_path / "model"
    model.mkdir()
    (model / "model.json").write_text("{}")
    aligners = ("--aligner", str(model), "--aligner", "sultan", "--ppdb", str(table))
    assert bench("msr-rte", *aligners, "--seed", "3") == 1
    report = bench.report("msr-rte.dev.sultan+ppdb=ppdb.tsv")
    assert (report["benchmark"], report["split"], report["pairs"]) == ("msr-rte", "dev", 2)
    assert (report["settings"], report["seed"], report["resumed"]) == ({"depth": 1}, 3, 0)
    files = BENCHMARKS["msr-rte"].files["dev"]
    assert report["data"] == {name: digest(data / name) for name in files}
    versions = report["versions"]
    assert (versions["numpy"], versions["python"]) == (np.__version__, platform.python_version())
    # However the aligners were imported: what is installed can take part.
    assert {"forest-align", "torch", "transformers", "tokenizers", "nltk", "highspy"} <= set(versions)
    bundled = Path(forest_align.__file__).parent / "aligners/models/contextual/model.json"
    assert report["models"]["aligners/models/contextual/model.json"] == digest(bundled)
    assert "parsing/models/en/parser.safetensors" in report["models"]
    assert report["models"]["--ppdb"] == digest(table)
    first = bench.report(f"msr-rte.dev.{quote(str(model), safe='')}")
    assert first["models"][str(model / "model.json")] == digest(model / "model.json")
    assert "--ppdb" not in first["models"]
    assert "parsing" in first["seconds_are_for"]
    values = report["tables"]["msr-rte"]
    # Of the two pairs one has two of its three links, the other none of its one.
    assert values["values"]["recall"] == pytest.approx(100 / 3, abs=0.01)
    assert values["intervals"]["recall"] == [0, pytest.approx(200 / 3, abs=0.01)]
    rows = published_rows("msr-rte")
    assert [row["values"] for row in values["published"]] == [row.values for row in rows]
    assert report["references"] == citations(rows)


def test_sultan_its_paraphrases_and_its_annotator_are_asked_for_by_name(
    tmp_path: Path, asked: dict[str, Any]
) -> None:
    table = written(tmp_path / "ppdb.tsv", "big\tlarge\n")
    args = BenchmarkOptions(
        name="msrp", data=Path(), words=None, ppdb=str(table), annotator="spacy", links="sure"
    )
    _, settings = benchmark_aligner("sultan", args, None)
    assert settings == {"depth": 1, "ppdb": "ppdb.tsv", "annotator": "spacy"}
    assert asked["sultan"]["annotator"] == "spacy"
    assert list(asked["sultan"]["ppdb"].partners("big")) == ["large"]


def test_the_forest_aligners_words_are_asked_for_by_name(asked: dict[str, Any]) -> None:
    args = BenchmarkOptions(
        name="msrp", data=Path(), words="dictionary", ppdb=None, annotator=None, links="sure"
    )
    for name in ("fixed", "contextual"):
        _, settings = benchmark_aligner(name, args, None)
        assert settings == {"depth": 1} | ({"words": "dictionary"} if name == "fixed" else {})
    assert asked == {"fixed": {"candidates": "dictionary"}, "contextual": {}}


def test_a_convention_is_a_setting_of_the_aligners_that_know_it(asked: dict[str, Any]) -> None:
    args = BenchmarkOptions(name="msrp", data=Path(), links="all")
    found = {name: benchmark_aligner(name, args, None)[1] for name in ("forest", "contextual", "sultan")}
    assert found.pop("sultan") == {"depth": 1}
    assert all(settings == {"depth": 1, "links": "all"} for settings in found.values())
    assert asked == {"forest": {"links": "all"}, "contextual": {"links": "all"}, "sultan": {}}


def test_a_missing_corpus_and_an_unknown_split_are_errors(data: Path, tmp_path: Path, bench: Bench) -> None:
    tiny, bench.data = bench.data, tmp_path
    assert bench("msr-rte") == 2
    assert "dev.majority.json: no such file; is --data the folder of the corpora?" in bench.cli.err
    bench.data = tiny
    assert bench("ists", "--split", "dev") == 2
    assert "unknown split 'dev'; there are: train, test" in bench.cli.err


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the corpora in {DATA}")
def test_shares_of_identical_links_are_those_that_yao_et_al_print() -> None:
    """Table 3 of Yao et al. 2013: 78.6, 59.0, 75.2 and 51.7% of the gold links are identical."""
    from forest_align.data.pairs import read_pairs
    from forest_align.eval.metrics.word_scores import WordPair, score_words

    shares = []
    for name in (
        "msr_rte/test.majority",
        "msr_rte/test.phrasal",
        "edinburgh/test.sure",
        "edinburgh/test.phrasal",
    ):
        pairs = list(read_pairs(DATA / "alignment" / f"{name}.json"))
        scores = score_words(WordPair(p.source.words, p.target.words, p.links, Links(), p.id) for p in pairs)
        shares.append(100 * scores.identical.rows[:, 3].sum() / scores.counts.rows[:, 3].sum())
    assert shares == pytest.approx([78.6, 59.0, 75.2, 51.7], abs=0.05)


def test_given_chunks_are_a_row_that_names_what_the_model_has_learned_from(
    tmp_path: Path, bench: Bench
) -> None:
    assert bench("ists", "--aligner", "identity", "--chunks") == 0
    shown = bench.cli.out
    assert "| chunks, which has learned from these pairs (this run)" in shown
    assert (tmp_path / "ists.train.chunks.report.json").is_file()
    assert bench("ists", "--aligner", "identity", "--chunks", "--split", "test") == 0
    assert "| chunks (this run)" in bench.cli.out
    assert bench("wiki", "--aligner", "identity", "--chunks") == 2
    assert "--chunks is for ists" in bench.cli.err
