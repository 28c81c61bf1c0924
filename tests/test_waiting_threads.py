"""How long threads of torch wait, as the environment has it after an import and as GNU's OpenMP reads it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

SETTINGS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
SHOW = f"import json, os; print(json.dumps({{k: v for k, v in os.environ.items() if k in {SETTINGS}}}))"


def run(code: str, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, whose environment has only the given settings of threads."""
    plain = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=plain | given
    )


@pytest.mark.parametrize("first", ["import forest_align", "from forest_align.cli import main"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"GOMP_SPINCOUNT": "1000"}),
        ({"GOMP_SPINCOUNT": "7"}, {"GOMP_SPINCOUNT": "7"}),
        ({"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "active"}),
    ],
    ids=["by default", "a number of one's own", "a policy of one's own"],
)
def test_threads_that_wait_soon_sleep_unless_the_user_wants_otherwise(
    first: str, given: dict[str, str], expected: dict[str, str]
) -> None:
    assert json.loads(run(f"{first}; {SHOW}", given).stdout) == expected


@pytest.mark.parametrize(("given", "expected"), [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7")])
def test_a_program_that_loads_a_parser_has_the_setting_before_torch_is_loaded(
    given: dict[str, str], expected: str
) -> None:
    # When it is loaded, OpenMP prints the settings that it has read.
    code = "import forest_align; from forest_align.parsing.networks import span_network; import torch"
    told = run(code, {"OMP_DISPLAY_ENV": "verbose", **given}).stderr
    found = re.search(r"GOMP_SPINCOUNT = '(\d+)'", told)
    if found is None:
        pytest.skip("torch does not use GNU's OpenMP here")
    assert found[1] == expected
