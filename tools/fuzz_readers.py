"""Give every reader of text damaged input: it must yield what it can read, or raise an InputError.

Inputs are chosen by the lines that they reach, with atheris if it is installed (``pip install atheris``, on
Linux). Without it they are seeded mutations of good files. ``--corpus`` keeps inputs that reached something
new, and those that were faults: the next run reads them first, and changes them further. With ``--growth``,
inputs are pieces of such files that are repeated, and an input that is twice as large may not take three
times as long.

Example::

    python tools/fuzz_readers.py --seconds 60
    python tools/fuzz_readers.py --seed 1234 --cases 1     # one mutation again
    python tools/fuzz_readers.py --growth
"""

from __future__ import annotations

import argparse
import hashlib
import io
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from growth import growth

try:
    import atheris
except ImportError:
    atheris = None

with atheris.instrument_imports(include=["forest_align"]) if atheris else nullcontext():
    from forest_align.aligners.model_folder import read_card
    from forest_align.alignment import Alignment, Links
    from forest_align.data.formats.format import MarkedSpans, PhraseUnit, SentencePair
    from forest_align.data.pairs import FORMATS, read_pairs, write_pairs
    from forest_align.data.trees.enju import parse_enju
    from forest_align.data.trees.parses import read_parses
    from forest_align.data.trees.penn import read_trees
    from forest_align.lexicon import PairTable
    from forest_align.parsing.forests.trees import forest_from_bracket
    from forest_align.types import ForestAlignError, ParseForest, Sentence
    from forest_align.types.brackets import parse_bracket
    from forest_align.types.json_fields import format_json_object, parse_json_object

#: Bytes of the smaller of two inputs whose times are compared, and the processor time that four times as many
#: must take, in seconds: of shorter times nothing can be said.
GROWTH_SIZE, GROWTH_LEAST = 6000, 0.15
#: Growth of the time with the size that is a fault; 2 is linear, 4 is quadratic.
GROWTH_MOST = 3.0
#: Pieces that mean something to one of the readers.
PIECES = (
    *(
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b" ",
        b"|||",
        b"//",
        b"<==>",
        b"((",
        b"))",
        b"()",
        b"(S (NP a))",
        b"::",
        b"-",
    ),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"\\ud800", b",", b":", b"null", b"true", b"NaN", b"1e999", b"-1"),
    *(b"0", b"99999999999999999999", b"0-0", b"1p2", b"<", b">", b"</pair>", b"&lt;", b"&#0;"),
    *(b"<!DOCTYPE a>", b"<!ENTITY b 'cc'>", b"&b;", b"<sentence", b"\x00", b"\xff", b"\xef\xbb\xbf"),
    *(b"\xe2\x80\xa8", b"\xc2\xa0", b"[" * 2000, b"(" * 2000, b"a" * 5000, b"source\ttarget\n"),
    *(b'x","\n', b"source,target\n", b"\n\xff\n"),
)
ENJU = b"""<sentence id="s0" parse_status="success"><cons id="c0" cat="S" head="c1" sem_head="c1">
<cons id="c1" cat="NP" head="t0" sem_head="t0"><tok id="t0" cat="N" pos="NN" base="dog">Dogs</tok></cons>
<cons id="c2" cat="VP" head="t1" sem_head="t1"><tok id="t1" cat="V" pos="VB" base="bark">bark</tok></cons>
</cons></sentence>"""


def seeds(folder: Path) -> dict[str, bytes]:
    """A good file for each reader, made by the writers."""
    source, target = (
        Sentence.from_words(words.split()) for words in ("The cat sat .", "A cat was sitting .")
    )
    links = Links.of([(0, 0), (1, 1), (2, 3), (3, 4)])
    pair = SentencePair(
        "7",
        source,
        target,
        links,
        label=True,
        score=3.5,
        units=(PhraseUnit((1, 2), (1, 2, 3), "Synthetic/analytic substitution"),),
        marked=(MarkedSpans((4, 11), (2, 5), False),),
    )
    found = {}
    for name in FORMATS:
        try:
            write_pairs([pair], folder / f"seed.{name}", name)
        except ForestAlignError:  # this format holds trees or chunks
            continue
        found[name] = (folder / f"seed.{name}").read_bytes()
    _, forest = forest_from_bracket("(S (NP (DT The) (NN cat)) (VP (VBD sat)))")
    found |= {
        "brackets": b"(S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .))\n(S (NP (DT A)) (VP (VB b)))",
        "enju": ENJU,
        "forest": format_json_object(forest.to_json()).encode(),
        "sentence": source.to_json().encode(),
        "links": b"0-0 1-1 2p3",
        "table": b"couch\tsofa\n[NP] ||| big ||| large ||| PPDB2.0Score=3.1 ||| 0-0 ||| Equivalence\n",
        "card": b'{"format": "forest", "version": 1, "features": [], "options": {"beam": 50}}',
    }
    return found


def readers(folder: Path) -> dict[str, Callable[[bytes], object]]:
    """What reads the bytes of a file, or a text, by name."""

    def of_file(read: Callable[[Path], object], name: str) -> Callable[[bytes], object]:
        def from_bytes(content: bytes) -> object:
            (folder / name).write_bytes(content)
            return read(folder / name)

        return from_bytes

    def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
        return lambda content: read(content.decode("utf-8", "surrogateescape"))

    def read_model(path: Path) -> object:
        return read_card(path.parent)

    found = {
        f"pairs as {name}": of_file(lambda path, name=name: list(read_pairs(path, name)), "pairs.txt")  # type: ignore[misc]
        for name in FORMATS
    }
    return found | {
        "pairs": of_file(lambda path: list(read_pairs(path)), "pairs.txt"),
        "pairs in CSV": of_file(lambda path: list(read_pairs(path)), "pairs.csv"),
        "tokenized pairs": of_file(lambda path: list(read_pairs(path, tokenized=True)), "pairs.tsv"),
        "parses": of_file(lambda path: list(read_parses(path)), "parses.jsonl"),
        "trees": of_file(lambda path: list(read_trees(path)), "trees.mrg"),
        "brackets": of_text(parse_bracket),
        "enju": of_text(lambda text: list(parse_enju(text))),
        "forest": of_text(lambda text: ParseForest.from_json(parse_json_object(text))),
        "sentence": of_text(Sentence.from_json),
        "alignment": of_text(Alignment.from_json),
        "links": of_text(Links.from_pharaoh),
        "paraphrases": of_file(PairTable.load, "table.txt"),
        "model card": of_file(read_model, "model.json"),
    }


def mutated(random: random.Random, files: list[bytes]) -> bytes:
    """A good file with one to six changes."""
    content = bytearray(random.choice(files))
    for _ in range(random.randint(1, 6)):
        place = random.randint(0, len(content))
        end = min(len(content), place + random.choice((0, 0, 1, 2, 8, 40)))
        other = random.choice(files)
        begin = random.randint(0, len(other))
        inserted = random.choice(
            (
                b"",
                random.choice(PIECES),
                random.choice(PIECES),
                random.randbytes(random.randint(1, 4)),
                bytes(content[place:end]) * random.choice((2, 50)),
                other[begin : begin + 30],
            )
        )
        content[place:end] = inserted
    return bytes(content)


def read(reader: Callable[[bytes], object], content: bytes) -> None:
    """Read; the exceptions that the package raises on purpose are right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            reader(content)
        except ForestAlignError:
            return


def run_mutations(options: argparse.Namespace, folder: Path) -> int:
    """Read seeded mutations until the time is over; the number of faults."""
    known = readers(folder)
    names = sorted(known)
    kept = [path.read_bytes() for path in sorted(options.corpus.iterdir())] if options.corpus else []
    faults = 0
    for number, content in enumerate(filter(None, kept)):
        try:
            read(known[names[content[0] % len(names)]], content[1:])
        except Exception:  # a fault of before
            faults += 1
            print(f"kept input {number}: {content[:200]!r}", file=sys.stderr)
            traceback.print_exc(limit=-4)
    files = [*seeds(folder).values(), *(content[1:] for content in kept)]
    first = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"readers: {len(known)}, {len(kept)} kept inputs, seeded mutations; first seed {first}", flush=True)
    end, seed = time.monotonic() + options.seconds, first
    while seed < first + options.cases and time.monotonic() < end and faults < 10:
        drawn = random.Random(seed)
        name = drawn.choice(names)
        content = mutated(drawn, files)
        try:
            read(known[name], content)
        except Exception:  # every other kind is a fault
            faults += 1
            keep(options.corpus, bytes([names.index(name)]) + content)
            print(f"seed {seed}: reader of {name}: {content[:200]!r}", file=sys.stderr)
            traceback.print_exc(limit=-4)
        seed += 1
    print(f"{seed - first} inputs, {faults} faults")
    return faults


def keep(corpus: Path | None, content: bytes) -> None:
    """Write an input, the number of its reader before it, under the name of its digest."""
    if corpus:
        (corpus / hashlib.sha1(content, usedforsecurity=False).hexdigest()).write_bytes(content)


def repeated(random: random.Random, files: list[bytes]) -> tuple[bytes, bytes, bytes]:
    """The beginning of an input, what is repeated in it, and its end."""
    pieces = [piece for piece in PIECES if len(piece) < 100]

    def some(most: int) -> bytes:
        return b"".join(random.choice(pieces) for _ in range(random.randint(0, most)))

    whole = random.choice(files)
    begin = random.randrange(len(whole))
    part = whole[begin : begin + random.choice((1, 4, 40))]
    unit = random.choice((whole, part, some(1) or b"a", some(3) or b"a", part + some(2)))
    start = random.choice((b"", b"source,target\n", whole, some(2)))
    return start, unit, random.choice((b"", b"\n\xff", some(2)))


def run_growth(options: argparse.Namespace, folder: Path) -> int:
    """Compare the times of repeated pieces, for each reader in turn; the number of faults."""
    files, known = list(seeds(folder).values()), readers(folder)
    first = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"readers: {len(known)}, growth of time; first seed {first}", flush=True)
    names, end, seed, faults, measured = sorted(known), time.monotonic() + options.seconds, first, 0, 0
    while seed < first + options.cases and time.monotonic() < end and faults < 10:
        name = names[seed % len(names)]
        before, unit, behind = repeated(random.Random(seed), files)

        def run(size: int, parts: tuple[bytes, ...] = (before, unit, behind), name: str = name) -> None:
            begin, repeated, end = parts
            read(known[name], begin + repeated * max(1, size // len(repeated)) + end)

        began = time.process_time()
        run(4 * GROWTH_SIZE)
        if time.process_time() - began > GROWTH_LEAST:
            measured += 1
            if (found := growth(run, GROWTH_SIZE, GROWTH_MOST)) >= GROWTH_MOST:
                faults += 1
                print(
                    f"seed {seed}: reader of {name}: time grows by {found:.1f}: {unit[:200]!r}",
                    file=sys.stderr,
                )
        seed += 1
    print(f"{seed - first} inputs, {measured} took long enough to be compared, {faults} faults")
    return faults


def run_atheris(options: argparse.Namespace, folder: Path) -> None:
    """Let atheris choose inputs; it ends the process at the first fault, and prints the input."""
    known = readers(folder)
    names = sorted(known)
    corpus = options.corpus or folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for content in seeds(folder).values():
        for place in range(len(names)):
            keep(corpus, bytes([place]) + content)

    def once(content: bytes) -> None:
        if content:
            read(known[names[content[0] % len(names)]], content[1:])

    seed = random.SystemRandom().randrange(1, 2**31) if options.seed is None else options.seed
    print(f"readers: {len(known)}, atheris; seed {seed}", flush=True)
    arguments = [
        f"-max_total_time={int(options.seconds)}",
        f"-seed={seed}",
        "-timeout=20",
        "-rss_limit_mb=4096",
    ]
    arguments.append(f"-artifact_prefix={corpus}/")
    atheris.Setup([sys.argv[0], str(corpus), "-max_len=20000", "-print_final_stats=1", *arguments], once)
    atheris.Fuzz()


def main() -> int:
    """Fuzz until the time is over; the exit status is 1 if a reader failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="end after so many mutations")
    parser.add_argument("--seed", type=int, default=None, help="of the first mutation (default: by chance)")
    parser.add_argument("--growth", action="store_true", help="compare the times of inputs of two sizes")
    parser.add_argument("--mutations", action="store_true", help="seeded mutations also where atheris is")
    parser.add_argument("--corpus", type=Path, default=None, help="folder that keeps inputs")
    options = parser.parse_args()
    if options.corpus:
        options.corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if options.growth:
            return 1 if run_growth(options, Path(folder)) else 0
        if atheris and not options.mutations:
            run_atheris(options, Path(folder))
            return 0
        return 1 if run_mutations(options, Path(folder)) else 0


if __name__ == "__main__":
    sys.stderr = io.TextIOWrapper(sys.stderr.buffer, errors="backslashreplace")
    sys.exit(main())
