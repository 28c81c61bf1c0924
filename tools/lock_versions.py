"""Write what ``LOCKED=1`` installs to ``locks/``: versions, with the digests of all their files on PyPI.

    make locks

The versions are those of constraints.txt and, of other packages, the newest that fit. ``uv`` resolves them
for all platforms and Python versions. torch has a file of its own and is installed first, since its builds
for processors have an index of their own. Its digests are those of PyPI and that of the build that pip
downloads.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "locks"
#: What builds the package; what the containers serve with; what `make test` and `make docs` install.
BUILD = ("cython", "setuptools", "wheel")
CONTAINER = ("serve",)
TESTS = ("test", "plot", "benepar", "spacy", "tables", "serve", "ray", "grpc", "docs")
#: What aligning, parsing, evaluating and serving never import; tokenizers would download models by the last.
UNUSED = ("torch", "optuna", "huggingface-hub")
#: What only the builds of torch for CUDA need, on Linux.
CUDA = (
    *("cuda-bindings", "cuda-toolkit", "triton", "nvidia-cudnn-cu13", "nvidia-cusparselt-cu13"),
    *("nvidia-nccl-cu13", "nvidia-nvshmem-cu13"),
)


def main() -> None:
    """Resolve the four files, torch last."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cpu-index", metavar="URL", default="https://download.pytorch.org/whl/cpu")
    options = parser.parse_args()
    LOCKS.mkdir(exist_ok=True)
    resolve("tests.txt", ["pyproject.toml"], TESTS, "constraints.txt")
    # The container has the versions that were tested.
    resolve("container.txt", ["pyproject.toml"], CONTAINER, "locks/tests.txt")
    resolve("serving.txt", ["pyproject.toml"], CONTAINER, "locks/tests.txt", build=(), excluded=UNUSED)
    torch = LOCKS / "torch.txt"
    resolve(torch.name, [], (), "constraints.txt", build=("torch",))
    first, *hashes = torch.read_text(encoding="utf-8").rstrip("\n").split(" \\\n")
    here = {f"    --hash=sha256:{digest}" for digest in digests_of_torch(first, options.cpu_index)}
    torch.write_text(" \\\n".join([first, *sorted({*hashes, *here})]) + "\n", encoding="utf-8")


def resolve(
    name: str,
    sources: Sequence[str],
    extras: Sequence[str],
    constraints: str,
    build: Sequence[str] = BUILD,
    excluded: Sequence[str] = CUDA,
) -> None:
    """Write one file of ``locks/``: what the sources and extras need, or torch alone without sources."""
    with tempfile.TemporaryDirectory() as folder:
        more, unwanted = Path(folder, "more.txt"), Path(folder, "unwanted.txt")
        more.write_text("\n".join(build), encoding="utf-8")
        unwanted.write_text("\n".join(excluded), encoding="utf-8")
        what = ["--no-emit-package=torch", f"--excludes={unwanted}"] if sources else ["--no-deps"]
        command = [
            "uv",
            "pip",
            "compile",
            *sources,
            str(more),
            *what,
            *(f"--extra={extra}" for extra in extras),
        ]
        command += [
            "--universal",
            "--python-version=3.11.5",
            "--generate-hashes",
            "--no-header",
            "--no-annotate",
        ]
        command += ["--quiet", "--upgrade", f"--constraints={constraints}", f"--output-file={LOCKS / name}"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def digests_of_torch(version: str, index: str) -> list[str]:
    """The SHA-256 of the wheel of torch that pip takes on this machine."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", version]
    with tempfile.TemporaryDirectory() as folder:
        command = [*pip, "--dest", folder]
        cpu = [*command, "--retries=0", "--timeout=20", f"--index-url={index}"]
        if subprocess.run(cpu, check=False, stderr=subprocess.DEVNULL).returncode:
            subprocess.run(command, check=True)
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(folder).iterdir()]


if __name__ == "__main__":
    main()
