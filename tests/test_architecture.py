"""The rules of the layout: one direction of imports, and a light `import forest_align`."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import forest_align
from forest_align._faces import homes_by_name

from .places import ROOT

# The parts of the package, lowest first. A part may import what is below it, and its neighbours in the same
# tier as long as parts make no circle.
TIERS = (
    ("types", "cext"),
    ("system", "lexicon", "data", "alignment"),
    ("storage", "parsing", "meaning", "edits", "differences"),
    ("aligners", "eval"),
    ("em", "service", "batches", "jobs"),
    ("cli",),
)
LEVEL = {part: level for level, parts in enumerate(TIERS) for part in parts}
# The methods of an alignment that edits and differences lie behind: they import these packages on first use.
CLIMBS = {"forest_align/alignment/_alignment.py": {"differences", "edits"}}
# What all parts share, and the entry points. The component of spaCy is where spaCy's users look for it.
BESIDE_THE_PARTS = {"__init__", "__main__", "_faces", "_version", "spacy_component"}
KERNEL_IMPORT = re.compile(r"^\s*(?:from|c?import) +forest_align\.(\w+)", re.MULTILINE)


def part_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "forest_align" else parts[0]


def sources() -> list[Path]:
    folders = ("forest_align", "cext", "em", "eval", "data")
    kinds = ("*.py", "*.pyx", "*.pxi", "*.pxd")
    return [path for folder in folders for kind in kinds for path in sorted((ROOT / folder).rglob(kind))]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom | ast.Constant]:
    """The imports of a module, wherever they stand, and its constants."""
    kinds = (ast.Import, ast.ImportFrom, ast.Constant)
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, kinds)]


def imported_parts(path: Path) -> set[str]:
    """Parts of forest_align that a module imports, wherever the import stands, or names as a string."""
    if path.suffix != ".py":
        return set(KERNEL_IMPORT.findall(path.read_text(encoding="utf-8")))
    found = set()
    for node in imports_of(path):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            if node.module == "forest_align":  # names that the package itself gives have their home elsewhere
                homes = homes_by_name(forest_align._HOMES)
                names = [homes.get(alias.name, name) for alias, name in zip(node.names, names, strict=True)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if re.match(r"forest_align(\.\w+)+(:|\.?$)", node.value) else []
        found.update(re.split(r"[.:]", name)[1] for name in names if name.startswith("forest_align."))
    return found & set(LEVEL)


def test_a_module_imports_only_what_lies_below_it() -> None:
    climbs = {}
    for path in sources():
        part = part_of(path)
        if part not in LEVEL:
            assert path.parent == ROOT / "forest_align" and path.stem in BESIDE_THE_PARTS
        elif above := {other for other in imported_parts(path) if LEVEL[other] > LEVEL[part]}:
            climbs[str(path.relative_to(ROOT))] = above
    assert climbs == CLIMBS


def test_no_two_parts_import_each_other() -> None:
    found: dict[str, set[str]] = {part: set() for part in LEVEL}
    for path in sources():
        if (part := part_of(path)) in LEVEL:
            climbs = CLIMBS.get(str(path.relative_to(ROOT)), set())
            found[part] |= imported_parts(path) - {part} - climbs
    assert tuple(TopologicalSorter(found).static_order())


def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    found = {}
    for path in sources():
        if path.suffix == ".py":
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts if parts[0] == "forest_align" else ("forest_align", *parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported_modules(path: Path, known: Collection[str]) -> set[str]:
    """Modules that a module imports anywhere, in functions and for annotations too."""
    found = set()
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in known else node.module for name in names)
    return found & set(known)


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    graph = {name: imported_modules(path, known) - {name} for name, path in known.items()}
    assert len(tuple(TopologicalSorter(graph).static_order())) == len(known)


def test_a_circle_of_modules_is_noticed(tmp_path: Path) -> None:
    known = {"forest_align.one", "forest_align.two"}
    (tmp_path / "one.py").write_text("def f():\n    from forest_align.two import g\n")
    assert imported_modules(tmp_path / "one.py", known) == {"forest_align.two"}
    with pytest.raises(CycleError):
        TopologicalSorter({"one": {"two"}, "two": {"one"}}).prepare()


# Modules that stand in the same place of several packages and are named for it: aligners/X/model.py,
# em/X/training.py.
ROLES = {
    *("__init__", "__main__", "aligner", "calibration", "examples", "features", "model", "objective"),
    *("state", "trainer", "training"),
}


def test_no_two_modules_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for name, path in modules().items():
        if (stem := path.stem.lstrip("_") if path.stem != "__init__" else path.stem) not in ROLES:
            places.setdefault(stem, []).append(name)
    assert {stem: found for stem, found in places.items() if len(found) > 1} == {}


def importers() -> dict[str, set[str]]:
    """Packages that import each module, of the library and of its tools and benchmarks; not the tests."""
    known = modules()
    found: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for imported in imported_modules(path, known):
            found[imported].add(name.rpartition(".")[0] if path.stem != "__init__" else name)
    for folder in ("tools", "benchmarks", "examples"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for imported in imported_modules(path, known):
                found[imported].add(folder)
    return found


def test_a_leading_underscore_marks_what_only_its_own_package_imports() -> None:
    wrong = {}
    for name, packages in importers().items():
        package, _, stem = name.rpartition(".")
        # What all packages share lies beside the packages.
        if stem.startswith("_") and stem != "__main__" and package != "forest_align":
            others = {other for other in packages if other != package and not package.startswith(f"{other}.")}
            if others:
                wrong[name] = others
    assert wrong == {}


def test_packages_say_what_they_offer() -> None:
    known = modules()
    for package in (name for name, path in known.items() if path.stem == "__init__"):
        face = importlib.import_module(package)
        assert face.__doc__, package
        submodules = {name.rpartition(".")[2] for name in known if name.rpartition(".")[0] == package}
        if not hasattr(face, "__all__"):  # users of an inner package name its modules
            assert {name for name in vars(face) if not name.startswith("_")} <= submodules, package
            continue
        assert face.__all__, package
        if package in ("forest_align.cli.commands", "forest_align.cext"):  # they offer their modules
            for name in face.__all__:
                importlib.import_module(f"{package}.{name}")
            continue
        assert not set(face.__all__) & submodules, package
        assert [name for name in face.__all__ if getattr(face, name) is None] == [], package


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for name, path in modules().items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("wrong.py", "def f():\n    from forest_align.cli import main\n", "cli"),
        ("wrong.py", "from forest_align import load\n", "aligners"),
        ("wrong.py", "from forest_align import service\n", "service"),
        ("wrong.py", "import_module('forest_align.alignment.html')\n", "alignment"),
        ("wrong.py", "import_module(f'forest_align.cli.{name}')\n", "cli"),
        ("wrong.pyx", "import numpy\nfrom forest_align.types import Links\n", "types"),
        ("wrong.pyx", "    cimport forest_align.em.forest._objective\n", "em"),
    ],
)
def test_the_rules_notice_a_wrong_import(tmp_path: Path, name: str, text: str, part: str) -> None:
    (tmp_path / name).write_text(text)
    assert imported_parts(tmp_path / name) == {part}


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, forest_align; print(' '.join(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"torch", "numpy", "nltk", "transformers", "optuna", "ray"} & set(loaded)


def test_ray_is_imported_by_its_engine_alone() -> None:
    ours = re.compile(r"^\s*(?:from|import) +ray\b", re.MULTILINE)
    found = {path for path in sources() if ours.search(path.read_text(encoding="utf-8"))}
    assert {path.parent for path in found} == {ROOT / "forest_align" / "jobs"}


def test_help_of_commands_does_not_import_torch() -> None:
    code = (
        "import sys\nfrom forest_align.cli import COMMANDS, main\nfor command in COMMANDS:\n"
        "    try:\n        main([command, '--help'])\n"
        "    except SystemExit as stop:\n        assert stop.code == 0\n"
        "    assert 'torch' not in sys.modules, command\nprint('commands:', *COMMANDS)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = done.stdout.splitlines()[-1].split()[1:]
    assert "align" in names and len(names) >= 13
    assert done.stdout.count("example") >= len(names)


def test_every_public_name_resolves() -> None:
    for name in forest_align.__all__:
        assert getattr(forest_align, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = forest_align.nonsense


def test_the_public_functions_take_their_arguments_in_the_documented_order() -> None:
    import inspect

    many = inspect.signature(forest_align.Aligner.align_many).bind(None, [], 32, 2)
    assert many.arguments == {"self": None, "pairs": [], "batch_size": 32, "workers": 2}
    alignment = inspect.signature(forest_align.Alignment).parameters
    assert list(alignment)[:11] == [
        *("source", "target", "words", "phrases", "unaligned_source", "unaligned_target"),
        *("source_tree", "target_tree", "log_probability", "root_aligned", "aligner"),
    ]
    assert list(inspect.signature(forest_align.Token).parameters) == ["text", "lemma", "tag", "start", "end"]
    pair = inspect.signature(forest_align.PhrasePair).parameters
    assert list(pair)[:4] == ["source_node", "target_node", "probability", "compositional"]


def test_installed_package_is_importable_from_anywhere(tmp_path: Path) -> None:
    code = (
        "import forest_align.cext.chart, forest_align.cext.alignment, forest_align.em, forest_align.eval;"
        "import forest_align.data; print(forest_align.data.__file__)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
