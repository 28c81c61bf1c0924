"""Kernels with sanitizers, or that count their branches, each kind as a tree of its own in ``build``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from link_namespace import ROOT, link_namespace

#: Names of trees, and the libraries that their kernels need.
TREES = {
    "address,undefined": ("sanitized", ("libasan.so", "libubsan.so")),
    "thread": ("threads", ("libtsan.so",)),
    "coverage": ("branches", ()),
}


def tree_of(kinds: str) -> Path:
    """The tree to import from."""
    return ROOT / "build" / TREES[kinds][0]


def objects_of(kinds: str) -> Path:
    """The folder of what the compiler leaves."""
    return tree_of(kinds).with_name(f"{TREES[kinds][0]}-work") / "objects"


def build_kernels(kinds: str) -> None:
    """Build the kernels, in a tree with links to all else."""
    tree, objects = tree_of(kinds), objects_of(kinds)
    environment = {**os.environ, "FOREST_ALIGN_INSTRUMENT": kinds}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", str(objects.parent)]
    command += ["--build-temp", str(objects)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    link_namespace(tree)
    kernels = tree / "forest_align" / "cext"
    kernels.unlink()
    kernels.mkdir()
    for source in sorted((ROOT / "cext").glob("*.py")):
        (kernels / source.name).symlink_to(source)
    for built in (objects.parent / "forest_align" / "cext").glob("*.so"):
        shutil.copyfile(built, kernels / built.name)


def environment_of(kinds: str) -> dict[str, str]:
    """Environment in which Python imports the kernels."""
    libraries = []
    for name in TREES[kinds][1]:
        path = subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        if not Path(path).is_absolute():
            sys.exit(f"gcc has no {name}: install its sanitizers (Debian: libasan8, libubsan1, libtsan2)")
        libraries.append(path)
    # The folder that Python starts in would come first. It has the package with the usual kernels.
    paths = os.pathsep.join((str(tree_of(kinds)), str(ROOT / "tools")))
    environment = {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}
    if libraries:
        environment |= {
            "LD_PRELOAD": " ".join(libraries),
            # Python keeps memory until it ends; memory that cannot be had is a MemoryError.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "TSAN_OPTIONS": "halt_on_error=1",
            "PYTHONMALLOC": "malloc",
        }
    return environment
