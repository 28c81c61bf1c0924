"""The published figures, against a second transcription of the papers' tables.

Each block is a table as the paper prints it, row by row, figures in the paper's order. The sections are
those in which the tables are discussed; the texts of the papers at hand have no page numbers.
"""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest

PUBLISHED = json.loads(resources.files("forest_align.eval").joinpath("published.json").read_text("utf-8"))

ALL = ["precision", "recall", "f1", "exact_match"]
THADANI = ["precision", "recall", "pair_f1", "exact_match"]


def kinds(one: str, other: str) -> list[str]:
    """Columns of the second lines of Yao et al.: ``P_i/P_n R_i/R_n F_i/F_n``."""
    return [f"{kind}.{name}" for name in ALL[:3] for kind in (one, other)]


# Key in published.json of the table, source, columns, rows.
TABLES = [
    (
        "msr-rte",
        "yao2013, table 3",  # §4.4, MSR06
        ALL + kinds("identical", "non_identical"),
        """
        Meteor                      | 82.5 81.2 81.9 15.0 / 89.9/39.9 97.3/24.6 93.5/30.5
        Yao et al. (2013b), token   | 93.6 83.5 88.3 32.1 / 96.6/77.7 96.9/35.6 96.8/48.8
        Yao et al. (2013b), phrase  | 92.1 82.8 86.8 29.1 / 95.7/65.0 95.9/34.7 95.8/45.2
        """,
    ),
    (
        "msr-rte phrasal",
        "yao2013, table 3",  # §4.4, MSR06P
        ALL + kinds("identical", "non_identical"),
        """
        Meteor                      | 82.5 68.3 74.7  7.3 / 89.9/40.1 97.3/8.8  93.5/14.5
        Yao et al. (2013b), token   | 92.9 66.1 77.2 13.5 / 95.5/77.5 94.3/11.1 94.9/19.5
        Yao et al. (2013b), phrase  | 83.5 77.0 80.1 14.3 / 94.9/55.5 94.2/48.1 94.5/51.5
        """,
    ),
    (
        "edinburgh",
        "yao2013, table 3",  # §4.4, EDB++
        ALL + kinds("identical", "non_identical"),
        """
        Meteor                      | 88.3 80.5 84.2 12.7 / 94.0/61.4 97.8/24.1 95.9/34.7
        Yao et al. (2013b), phrase  | 90.4 81.9 85.9 13.7 / 96.0/57.4 97.8/38.3 96.9/46.0
        """,
    ),
    (
        "edinburgh",
        "sultan2014, table 2",  # §4.1; the second half is row "token" of EDB++ in table 3 of Yao et al.
        ALL + kinds("identical", "non_identical"),
        "Yao et al. (2013a), jacana-token | 91.3 82.0 86.4 15.0 / 96.4/63.9 97.4/36.4 96.9/46.4",
    ),
    (
        "edinburgh phrasal",
        "yao2013, tables 3 and 4",  # §4.4, EDB++P
        ALL + kinds("identical", "non_identical") + kinds("token", "phrase"),
        """
        Meteor | 88.4 60.6 71.9 2.9 / 94.0/61.9 97.0/6.5 95.5/11.7 / 59.5/14.9 90.6/1.1 71.8/2.0
        Yao et al. (2013b), token
               | 90.7 55.8 69.1 2.3 / 96.2/58.6 91.3/7.1 93.7/12.7 / 59.4/21.4 85.5/0.9 70.1/1.7
        Yao et al. (2013b), phrase
               | 82.3 65.3 72.8 1.6 / 95.6/60.4 93.1/34.3 94.4/43.8 / 73.3/48.0 73.5/44.2 73.4/46.0
        """,
    ),
    (
        "msr-rte",
        "sultan2014, table 2",  # §4.1, MSR
        ALL,
        """
        MacCartney et al. (2008)                    | 85.4 85.3 85.3 21.3
        Thadani & McKeown (2011), MANLI-constraint  | 89.5 86.2 87.8 33.0
        Yao et al. (2013a), jacana-token            | 93.7 84.0 88.6 35.3
        Sultan et al. (2014)                        | 93.7 89.8 91.7 43.8
        """,
    ),
    ("edinburgh", "sultan2014, table 2", ALL, "Sultan et al. (2014) | 93.5 82.5 87.6 18.3"),  # §4.1, EDB++
    (
        "msr-rte ablation",
        "sultan2014, table 3",  # §4.1.1, MSR
        ALL[:3],
        """
        Sultan et al. (2014) without Word Similarity      | 95.2 86.3 90.5
        Sultan et al. (2014) without Contextual Evidence  | 81.3 86.0 83.6
        Sultan et al. (2014) without Dependencies         | 94.2 88.8 91.4
        Sultan et al. (2014) without Text Neighborhood    | 85.5 90.4 87.9
        Sultan et al. (2014) without Stop Words           | 94.2 88.3 91.2
        """,
    ),
    (
        "edinburgh ablation",
        "sultan2014, table 3",  # §4.1.1, EDB++
        ALL[:3],
        """
        Sultan et al. (2014) without Word Similarity      | 95.1 77.3 85.3
        Sultan et al. (2014) without Contextual Evidence  | 86.4 80.6 83.4
        Sultan et al. (2014) without Dependencies         | 93.8 81.3 87.1
        Sultan et al. (2014) without Text Neighborhood    | 90.4 84.3 87.2
        Sultan et al. (2014) without Stop Words           | 92.2 80.0 85.7
        """,
    ),
    (
        "edinburgh",
        "thadani2012, table 1",  # §6, Tokens/SURE
        THADANI,
        """
        Meteor, by Thadani et al. (2012)      | 81.82 71.90 75.49 11.22
        Thadani et al. (2012), phrase-based   | 74.83 83.25 77.85 12.21
        Thadani et al. (2012), phrase+arc     | 76.57 83.79 79.20 12.21
        """,
    ),
    (
        "edinburgh sure+possible",
        "thadani2012, table 1",  # §6, Tokens/SURE+POSSIBLE
        THADANI,
        """
        Meteor, by Thadani et al. (2012)      | 85.40 64.76 72.32 10.56
        Thadani et al. (2012), phrase-based   | 70.84 82.54 75.37 13.53
        Thadani et al. (2012), phrase+arc     | 73.03 84.60 77.57 14.85
        """,
    ),
    (
        "edinburgh dependencies",
        "thadani2012, table 1",  # §6, Deps/SURE
        THADANI,
        """
        Meteor, by Thadani et al. (2012)      | 84.64 58.03 65.60 17.49
        Thadani et al. (2012), phrase-based   | 76.07 78.42 75.10 23.10
        Thadani et al. (2012), phrase+arc     | 73.56 84.27 76.30 20.79
        """,
    ),
    (
        "edinburgh dependencies sure+possible",
        "thadani2012, table 1",  # §6, Deps/SURE+POSSIBLE
        THADANI,
        """
        Meteor, by Thadani et al. (2012)      | 91.19 51.80 62.57 12.87
        Thadani et al. (2012), phrase-based   | 80.09 80.74 78.79 22.11
        Thadani et al. (2012), phrase+arc     | 77.04 88.76 80.92 22.44
        """,
    ),
    (
        "spade",
        "arase2017, table 3",  # §6.4: recall first
        ["recall", "precision", "uas", "reachability"],
        """
        People                | 90.65 88.21
        Arase & Tsujii (2017) | 83.64 78.91 93.49 98
        … monotonic only      | 82.86 77.97 93.49 98
        … without EM          | 81.33 75.09 92.91 86
        … 1-best tree         | 80.11 73.26 93.56 100
        """,
    ),
    (
        "sts2013",
        "sultan2014, table 4",  # §4.2.1
        ["pearson"],
        """
        Han et al. (2013)               | 73.7
        JacanaAlign (Yao et al. 2013a)  | 46.2
        Sultan et al. (2014)            | 67.2
        """,
    ),
    (
        "msrp",
        "sultan2014, table 5",  # §4.2.2
        ["accuracy", "precision", "recall", "f1"],
        """
        Madnani et al. (2012)       | 77.4 79.0 89.9 84.1
        Yao et al. (2013a), token   | 70.0 72.6 88.1 79.6
        Yao et al. (2013b), phrase  | 68.1 68.6 95.8 79.9
        Sultan et al. (2014)        | 73.4 76.6 86.4 81.2
        """,
    ),
    (
        "msrp",
        "yao2013, table 5b",  # §5
        ["accuracy", "precision", "recall"],
        """
        Wan et al. (2006)       | 75.6 77   90
        Das & Smith (2009)      | 73.9 74.9 91.3
        Heilman & Smith (2010)  | 73.2 75.7 87.8
        """,
    ),
    (
        "rte",
        "yao2013, table 5a",  # §5
        ["accuracy", "precision", "recall"],
        """
        de Marneffe et al. (2006)   | 60.5 61.8 60.2
        MacCartney & Manning (2008) | 64.3 65.5 63.9
        Heilman & Smith (2010)      | 62.8 61.9 71.2
        Yao et al. (2013b), token   | 59.1 61.2 55.4
        Yao et al. (2013b), phrase  | 57.6 57.2 68.8
        """,
    ),
    (
        "qa",
        "yao2013, table 5c",  # §5; printed as 0.4271 and so on
        ["map", "mrr"],
        """
        Cui et al. (2005)                     | 42.71 52.59
        Wang et al. (2007)                    | 60.29 68.52
        Heilman & Smith (2010)                | 60.91 69.17
        Yao et al. (2013, tree edit distance) | 63.07 74.77
        Yao et al. (2013b), token             | 59.82 65.82
        Yao et al. (2013b), phrase            | 61.65 73.33
        """,
    ),
    (
        "ssd",
        "lozano2026",  # printed as 0.463 and so on
        ["f1", "same.f1", "different.f1"],
        """
        LIME, all-mpnet-base-v2        | 46.3 78.2 22.3
        SHAP, all-MiniLM-L6-v2         | 36.6 43.4 13.1
        embeddings, all-mpnet-base-v2  | 46.9 52.9 42.3
        embeddings, text-embedding-004 | 54.7 66.6 45.9
        roberta-base, trained          | 69.0 83.8 57.4
        Claude 3.5 Sonnet              | 75.0 89.5 64.0
        """,
    ),
]


def transcribed() -> dict[tuple[str, str, str], dict[str, float]]:
    """Figures by table, source and system."""
    found = {}
    for table, source, columns, rows in TABLES:
        for line in re.sub(r"\n +\|", " |", rows).strip().splitlines():
            system, _, figures = line.partition("|")
            values = [float(one) for one in re.findall(r"[0-9.]+", figures)]
            assert len(values) == len(columns) or system.strip() == "People"
            found[table, source, system.strip()] = dict(zip(columns, values, strict=False))
    return found


@pytest.mark.parametrize("table", PUBLISHED["tables"])
def test_published_figures_are_those_of_the_papers(table: str) -> None:
    ours = {(row["source"], row["system"]): row["values"] for row in PUBLISHED["tables"][table]}
    assert ours == {key[1:]: values for key, values in transcribed().items() if key[0] == table}


def test_no_transcribed_table_is_missing() -> None:
    assert {table for table, *_ in TABLES} == set(PUBLISHED["tables"])
