"""What the records that are written as lines of JSON have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec
from msgspec import structs

from forest_align.alignment.json_objects import JSON_VERSION, OriginObject
from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields
from forest_align.types.json_records import convert_record, read_record, record_text, record_values


class JsonLine:
    """A record that is written as one line of JSON, and read from it."""

    __slots__ = ()
    #: The class of its JSON object.
    json_object: ClassVar[type[msgspec.Struct]]

    @abstractmethod
    def to_object(self) -> msgspec.Struct:
        """The JSON object; see :meth:`to_dict`."""

    @classmethod
    @abstractmethod
    def of_object(cls, listed: Any) -> Self:
        """Build the record from its JSON object, and check what belongs together."""

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1), without forests and word vectors.

        Raises InputError if a score or probability is not finite; JSON cannot hold that.
        """
        return record_values(self.to_object())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""
        # Another version may have other fields, so it is named first.
        version = Fields(values).integer("version", JSON_VERSION)
        if version != JSON_VERSION:
            raise InputError(
                f"expected version {JSON_VERSION}, found {version}: made by a newer forest-align",
                field="version",
            )
        return cls.of_object(convert_record(cls.json_object, values))

    def to_json(self) -> str:
        """One line of JSON, without the line end; the format is documented in ``docs/reference/formats.md``.

        A log-probability that is not finite is written as null. Raises InputError if another number is not
        finite.
        """
        return record_text(self.to_object())

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None, line: int | None = None) -> Self:
        """Read one line of JSON that :meth:`to_json` wrote; unknown keys are ignored.

        Raises InputError if it is not JSON, or a field is missing, of a wrong type or out of range; names the
        field.
        """
        return read_record(text, cls.json_object, cls.of_object, cls.from_dict, file, line)


def origin_object(made_by: Mapping[str, str]) -> OriginObject | None:
    """The JSON object of what made a record; None if that is not known."""
    return OriginObject(*map(made_by.get, OriginObject.__struct_fields__)) if made_by else None


def origin_of(listed: OriginObject | None) -> dict[str, str]:
    """What made a record, from the JSON object."""
    return {} if listed is None else {key: text for key, text in structs.asdict(listed).items() if text}
