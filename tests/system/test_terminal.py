"""Messages show hosts and users, and no passwords."""

from __future__ import annotations

import pytest

from forest_align.system.terminal import hide_passwords


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://user:secret@host:5432/sweeps", "postgresql://user:***@host:5432/sweeps"),
        ("postgresql+psycopg2://user:s@cr@t@host/sweeps", "postgresql+psycopg2://user:***@host/sweeps"),
        ("mysql://host/sweeps?user=me&passwd=secret", "mysql://host/sweeps?user=me&passwd=***"),
        ("user:secret@host", "user:***@host"),
        ("postgresql://user@host:5432/sweeps", "postgresql://user@host:5432/sweeps"),
        ("sqlite:///folder:a@b/sweep.db", "sqlite:///folder:a@b/sweep.db"),
        ("journal:/folder@b/sweep.journal", "journal:/folder@b/sweep.journal"),
    ],
)
def test_only_the_password_of_a_url_is_hidden(url: str, shown: str) -> None:
    assert hide_passwords(f"no answer from {url}", url) == f"no answer from {shown}"


def test_a_password_is_hidden_as_written_and_as_decoded() -> None:
    message = hide_passwords(r"a%2Fb or 'a/b', c\d or 'c\\d'", "db://u:a%2Fb@h", r"db://u:c\d@h")
    assert message == "*** or '***', *** or '***'"
