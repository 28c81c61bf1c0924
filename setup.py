"""Build the compiled kernels and map the top-level folders into one import namespace.

Everything declarative lives in ``pyproject.toml``; this file holds what needs code.
"""

from pathlib import Path

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


def packages() -> list[str]:
    """Every package below the mapped folders, under its import name."""
    found = []
    for name, folder in FOLDERS.items():
        found.append(name)
        found.extend(f"{name}.{sub}" for sub in find_packages(folder))
    return found


extensions = [
    Extension(
        f"forest_align.cext.{source.stem}",
        [source.as_posix()],
        extra_compile_args=["-O3"],
    )
    for source in sorted(Path("cext").glob("*.pyx"))
]

setup(
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
