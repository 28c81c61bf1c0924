"""Build the compiled kernels and map the top-level folders into one import namespace.

Everything declarative lives in ``pyproject.toml``; this file holds what needs code.
"""

import os
import re
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

# The source folders lie side by side at the top level, but users import one package.
FOLDERS = {
    "forest_align": "forest_align",
    "forest_align.cext": "cext",
    "forest_align.em": "em",
    "forest_align.eval": "eval",
    "forest_align.data": "data",
}

# FOREST_ALIGN_INSTRUMENT=address,undefined builds kernels that end the process where they leave an array or
# overflow, FOREST_ALIGN_INSTRUMENT=thread such as report races. They need the libraries of the sanitizers in
# LD_PRELOAD. FOREST_ALIGN_INSTRUMENT=coverage builds kernels that count their branches. tools/nightly.py runs
# tests with all of them.
KINDS = os.environ.get("FOREST_ALIGN_INSTRUMENT")
if KINDS == "coverage":
    INSTRUMENTS, ARGUMENTS = ["--coverage"], ["-O0", "-g"]
elif KINDS:
    INSTRUMENTS = [f"-fsanitize={KINDS}"]
    ARGUMENTS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
else:
    INSTRUMENTS, ARGUMENTS = [], ["-O3", "-g0"]
# A product and a sum are rounded one after the other, on every processor.
ARGUMENTS += ["-ffp-contract=off"]


def packages() -> list[str]:
    """Every package below the mapped folders, under its import name."""
    found = []
    for name, folder in FOLDERS.items():
        found.append(name)
        found.extend(f"{name}.{sub}" for sub in find_packages(folder))
    return found


def description() -> dict[str, Any]:
    """The README as the page of a package index, and the addresses beside it.

    FOREST_ALIGN_URL is the address of the repository, such as ``https://github.com/OWNER/forest-align``. With
    it, links to files become absolute, at the tag of this version. Without it, the README stays as it is.
    """
    page = Path("README.md").read_text(encoding="utf-8")
    found: dict[str, Any] = {"long_description_content_type": "text/markdown"}
    url = os.environ.get("FOREST_ALIGN_URL", "").rstrip("/")
    if url:
        version = Path("forest_align/_version.py").read_text(encoding="utf-8").split('"')[-2]
        page = re.sub(r"(!\[[^\]]*\]\()(?!\w+:|#)", rf"\1{url}/raw/v{version}/", page)
        page = re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)", rf"\1{url}/blob/v{version}/", page)
        found["project_urls"] = {
            "Source": url,
            "Documentation": f"{url}/blob/v{version}/docs/README.md",
            "Changelog": f"{url}/blob/v{version}/CHANGELOG.md",
            "Issues": f"{url}/issues",
        }
    return {"long_description": page, **found}


extensions = [
    Extension(
        f"forest_align.cext.{source.stem}",
        [source.as_posix()],
        extra_compile_args=ARGUMENTS + INSTRUMENTS,
        extra_link_args=INSTRUMENTS,
    )
    for source in sorted(Path("cext").glob("*.pyx"))
]

setup(
    **description(),
    packages=packages(),
    package_dir=FOLDERS,
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    ),
)
