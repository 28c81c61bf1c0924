"""The source distribution and the wheel made from it hold everything, and only what belongs into them."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import forest_align
from forest_align.cli.commands.licences import bundled_parts

from .places import ROOT

MAPPED = {"forest_align": "forest_align", "cext": "forest_align/cext", "em": "forest_align/em"}
MAPPED |= {"eval": "forest_align/eval", "data": "forest_align/data"}


def run(*command: str, cwd: Path, **variables: str) -> str:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked far from the repository."""
    folder = tmp_path_factory.mktemp("sources")
    egg_base = folder / "egg"
    egg_base.mkdir()
    egg = ("egg_info", "--egg-base", str(egg_base))
    run(sys.executable, "setup.py", "-q", *egg, "sdist", "-d", str(folder), cwd=ROOT)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        # Before Python 3.11.4 there are no filters.
        options: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        source.extractall(folder / "unpacked", **options)
    (unpacked,) = (folder / "unpacked").iterdir()
    return unpacked


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the source distribution alone."""
    folder = tmp_path_factory.mktemp("wheel")
    setup = (sources / "setup.py").read_text(encoding="utf-8")
    assert '"-O3"' in setup
    # Optimizing takes minutes, and changes nothing of what the wheel holds.
    (sources / "setup.py").write_text(setup.replace('"-O3"', '"-O0"'), encoding="utf-8")
    arguments = ("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-q", "-w", str(folder), ".")
    run(sys.executable, "-m", "pip", *arguments, cwd=sources)
    (built,) = folder.glob("*.whl")
    return built


def tracked_files(*folders: str) -> list[str]:
    """What the repository holds; without one, as in an unpacked source distribution, the test is skipped."""
    if not (ROOT / ".git").exists():
        pytest.skip("not in a repository: which files a distribution should hold cannot be told")
    return run("git", "ls-files", *folders, cwd=ROOT).split("\n")


def test_the_source_distribution_holds_what_the_readme_speaks_of(sources: Path) -> None:
    listed = tracked_files()
    wanted = [name for name in listed if name and not name.startswith(".")]
    assert "examples/pairs.tsv" in wanted and "Makefile" in wanted
    assert [name for name in wanted if not (sources / name).is_file()] == []


def test_the_wheel_holds_every_module_and_every_resource(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    listed = tracked_files(*MAPPED)
    for name in filter(None, listed):
        folder, _, rest = name.partition("/")
        if name.endswith(
            (".py", ".pyi", ".json", ".safetensors", ".txt", ".gz", ".typed", ".html", ".css", ".js")
        ):
            assert f"{MAPPED[folder]}/{rest}" in names, name


def test_the_wheel_says_which_licences_its_parts_have(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = email.message_from_bytes(archive.read(name))
    licences = ["LICENSE", "THIRD_PARTY.md", "data/resources/WORDNET-LICENSE.txt"]
    licences.append("forest_align/parsing/models/en/README.md")
    assert metadata.get_all("License-File") == licences
    for path in licences:
        assert archive.read(name.replace("METADATA", f"licenses/{path}")) == (ROOT / path).read_bytes()
    terms = metadata["License-Expression"].split(" AND ")
    assert set(terms) == {part.licence for part in bundled_parts().parts.values()}


@pytest.mark.parametrize("url", ["", "https://example.org/us/forest-align/"])
def test_links_of_the_package_page_are_absolute_if_the_address_is_known(url: str, tmp_path: Path) -> None:
    command = (sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path))
    run(*command, cwd=ROOT, FOREST_ALIGN_URL=url)
    text = (tmp_path / "forest_align.egg-info" / "PKG-INFO").read_text(encoding="utf-8")
    metadata = email.message_from_string(text)
    readme, page = (ROOT / "README.md").read_text(encoding="utf-8"), metadata.get_payload()
    assert metadata["Description-Content-Type"] == "text/markdown"
    link = re.compile(r"(!?)\[[^\]]*\]\(([^)]*)\)")
    links, found = link.findall(readme), link.findall(page)
    assert len(links) == len(found) > 20
    if not url:
        assert (found, metadata["Project-URL"]) == (links, None)
        return
    base, version = "https://example.org/us/forest-align", f"v{forest_align.__version__}"
    for (image, before), (_, after) in zip(links, found, strict=True):
        folder = f"{base}/{'raw' if image else 'blob'}/{version}"
        assert after == (before if "://" in before else f"{folder}/{before}")
    assert f"Source, {base}" in metadata.get_all("Project-URL", [])


def pinned_versions(name: str) -> dict[str, str]:
    """The versions that a file of constraints pins, those of files that it includes too."""
    found: dict[str, str] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("-c "):
            found |= pinned_versions(line.removeprefix("-c "))
        elif line and not line.startswith("#"):
            package, version = line.split("==")
            assert package not in found, f"{name}: {package} is pinned twice"
            found[package] = version
    return found


def test_both_files_of_constraints_pin_every_requirement_within_its_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    texts = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    texts += [text for extra in project["project"]["optional-dependencies"].values() for text in extra]
    versions = [pinned_versions(name) for name in ("constraints.txt", "constraints-transformers-5.txt")]
    for pinned in versions:
        for requirement in map(Requirement, texts):
            assert requirement.specifier.contains(pinned[requirement.name]), requirement
    assert [pinned["transformers"].split(".")[0] for pinned in versions] == ["4", "5"]


@pytest.mark.parametrize(
    ("name", "extras", "left_out"),
    [("container.txt", {"serve"}, set()), ("serving.txt", {"serve"}, {"optuna"}), ("tests.txt", None, set())],
)
def test_locks_have_digests_of_the_pinned_version_of_every_requirement(
    name: str, extras: set[str] | None, left_out: set[str]
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    texts = [*project["dependencies"], *(text for extra in extras or optional for text in optional[extra])]
    wanted = {Requirement(text).name for text in texts}
    text = "".join((ROOT / "locks" / file).read_text(encoding="utf-8") for file in (name, "torch.txt"))
    entries = re.findall(
        r"^([\w-]+)==(\S+) .*\\((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$", text, re.MULTILINE
    )
    assert len(entries) == len(re.findall(r"^[\w-]+==", text, re.MULTILINE))
    assert sum(hashes.count("--hash=") for *_, hashes in entries) == text.count("--hash=")
    locked = {package: version for package, version, _ in entries}
    assert wanted - locked.keys() == left_out
    pinned = pinned_versions("constraints.txt")
    both = locked.keys() & pinned.keys()
    assert {package: locked[package] for package in both} == {package: pinned[package] for package in both}
    assert not [package for package in locked if package.startswith(("nvidia-", "cuda-"))]


def test_nothing_lands_beside_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"forest_align"}


def test_the_installed_wheel_imports_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
        cwd=tmp_path,
    )
    code = (
        f"import sys; sys.path.insert(0, {str(target)!r}); sys.meta_path = [f for f in sys.meta_path"
        " if 'Editable' not in getattr(f, '__name__', '')]\n"
        "import forest_align, forest_align.cext.chart, forest_align.cext.alignment, forest_align.em\n"
        "import forest_align.eval, forest_align.data, forest_align.types\n"
        "print(forest_align.__file__); print(forest_align.cext.chart.__file__)"
    )
    printed = run(sys.executable, "-c", code, cwd=tmp_path).split()
    assert all(path.startswith(str(target)) for path in printed), printed
