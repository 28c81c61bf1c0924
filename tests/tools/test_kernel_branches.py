"""The measure of the branches that kernels take."""

from __future__ import annotations

from pathlib import Path

import kernel_branches

WRITTEN = """
  /* "cext/chart.pyx":7
 * if wanted < 1: */
  __pyx_t_1 = (__pyx_v_wanted < 1);
  if (unlikely(__pyx_t_1)) {
    __pyx_t_2 = PyErr_Format(); if (unlikely(!__pyx_t_2)) __PYX_ERR(0, 7, __pyx_L1_error)
  }
  /* "cext/chart_parts/inside.pxi":9
 * for i in range(n): */
  for (__pyx_t_3 = 0; __pyx_t_3 < __pyx_t_4; __pyx_t_3+=1) {
    if (likely(PyList_CheckExact(__pyx_t_5))) {
    }
  }
}
static int helper(int __pyx_v_x) {
  if (__pyx_v_x) {
  }
}
"""


def test_branches_that_a_kernel_states_are_told_from_those_that_cython_adds(tmp_path: Path) -> None:
    written = tmp_path / "chart.c"
    written.write_text(WRITTEN)
    found = kernel_branches.decisions(written)
    lines = WRITTEN.split("\n")
    assert {lines[number - 1].split()[0]: place for number, place in found.items()} == {
        "if": ("cext/chart.pyx", 7),
        "for": ("cext/chart_parts/inside.pxi", 9),
    }
    assert len(found) == 2
