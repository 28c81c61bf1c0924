"""What the records that are written as lines of JSON have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, format_json_object, read_json_object

JSON_VERSION = 1

#: JSON keys of the origin.
ORIGIN = ("version", "model", "digest")


class JsonLine:
    """A record that is written as one line of JSON, and read from it."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1)."""

    @classmethod
    @abstractmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""

    def to_json(self) -> str:
        """One line of JSON, without the line end; the format is documented in ``docs/reference/formats.md``.

        A log-probability that is not finite is written as null.

        Raises
        ------
        InputError
            If another number is not finite.
        """
        return format_json_object(self.to_dict())

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None, line: int | None = None) -> Self:
        """Read one line of JSON that :meth:`to_json` wrote; unknown keys are ignored.

        Parameters
        ----------
        text : str
            The line.
        file, line : str, int, optional
            Where it comes from, for messages.

        Raises
        ------
        InputError
            If it is not JSON, or a field is missing, of a wrong type or out of range; names the field.
        """
        return read_json_object(text, cls.from_dict, file, line)


def check_version(fields: Fields) -> None:
    """Refuse a record of another version.

    Raises
    ------
    InputError
        If the field ``version`` is another one.
    """
    version = fields.integer("version", JSON_VERSION)
    if version != JSON_VERSION:
        raise InputError(
            f"expected version {JSON_VERSION}, found {version}: made by a newer forest-align",
            field="version",
        )


def read_origin(fields: Fields) -> dict[str, str]:
    """What made a record: the texts of the field ``made_by``."""
    made_by = fields.fields("made_by", {})
    return {key: text for key in ORIGIN if (text := made_by.text(key, ""))}
