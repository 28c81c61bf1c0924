"""The exceptions that forest-align raises on purpose."""

from __future__ import annotations


class ForestAlignError(Exception):
    """Base of every error that forest-align raises on purpose."""


class InputError(ForestAlignError, ValueError):
    """Input that cannot be used; reports its place, what was found and what was expected.

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
        """Return the same error, filling in the parts of its place that were unknown."""
        return InputError(
            self.message,
            file=self.file if self.file is not None else file,
            line=self.line if self.line is not None else line,
            field=self.field,
        )

    def inside(self, path: str) -> InputError:
        """Return the same error of a field inside an object, whose name in the document is ``path``."""
        field = f"{path}.{self.field}" if path and self.field else path or self.field
        return InputError(self.message, file=self.file, line=self.line, field=field)


class MemoryLimitError(InputError):
    """Input that needs more memory than is available; it can be used where or when there is more."""


class ModelError(ForestAlignError):
    """A model that cannot be found or loaded; reports which, where it was searched for and what exists."""


class InputWarning(UserWarning):
    """Ambiguous input; reports how it is read, and how to select the other reading."""
