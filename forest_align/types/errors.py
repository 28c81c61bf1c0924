"""The exceptions that forest-align raises on purpose."""

from __future__ import annotations


class ForestAlignError(Exception):
    """Base of every error that forest-align raises on purpose."""


class InputError(ForestAlignError, ValueError):
    """Input that cannot be used: says where it is, what was found and what was expected.

    Parameters
    ----------
    message : str
        What was expected and what was found.
    file : str, optional
        The file, as the user named it.
    line : int, optional
        Line number, counted from 1.
    field : str, optional
        Name of the field (JSON key, XML attribute, TSV column).
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.message, self.file, self.line, self.field = message, file, line, field
        super().__init__(message)

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        where = [part for part in (place, f"field {self.field!r}" if self.field else "") if part]
        return ": ".join([*where, self.message])

    def at(self, *, file: str | None = None, line: int | None = None) -> InputError:
        """Return the same error with its place filled in where it was unknown."""
        return InputError(
            self.message,
            file=self.file if self.file is not None else file,
            line=self.line if self.line is not None else line,
            field=self.field,
        )


class MemoryLimitError(InputError):
    """Input that there was not memory enough for; where or when there is more, it can be used."""


class ModelError(ForestAlignError):
    """A model that cannot be found or loaded: says which, where it was looked for and what exists."""


class InputWarning(UserWarning):
    """Input that could be meant in two ways: says how it is read, and how to have it read in the other."""
