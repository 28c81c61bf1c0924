"""Records of JSON, each declared once: its class says what is read and written, and describes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from operator import methodcaller
from typing import Annotated, Any, Self, TypeVar

import msgspec

from forest_align.types.errors import InputError
from forest_align.types.json_fields import describe, format_json_object, parse_json_object

Record = TypeVar("Record", bound=msgspec.Struct)
Built = TypeVar("Built")
Value = TypeVar("Value")

Index = Annotated[int, msgspec.Meta(ge=0)]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = Annotated[
    tuple[Index, Index],
    msgspec.Meta(description="Half-open span of tokens: first token, token after the last."),
]
#: Marks a field that is always written, but may be absent where other programs write.
WRITTEN = msgspec.Meta(extra_json_schema={"written": True})
Written = Annotated[Value | None, WRITTEN]

_KINDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "an integer",
    "object": "an object",
    "str": "a string",
}
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_EXPECTED = re.compile(r"Expected `(\w+)[^`]*`(?: of length (\d+)| ([<>]=) ([-\d.]+))?")
_PLACE = re.compile(r"\.(\w+)|\[(\d+)\]")
_item = methodcaller("item")  # of a scalar of numpy


class JsonObject(msgspec.Struct, omit_defaults=True, frozen=True):
    """Base of the classes of JSON objects: fields are in the order in which they are written.

    A field with its default is not written. When read, null is the same as absent, and unknown fields are
    ignored.
    """

    def to_dict(self) -> dict[str, Any]:
        """JSON values, see ``docs/reference/formats.md``."""
        return record_values(self)

    @classmethod
    def from_dict(cls, values: Any, path: str = "") -> Self:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Raises InputError that names the field, which is missing, of a wrong type or out of range.
        """
        record = convert_record(cls, values, path)
        try:
            record.check()
        except InputError as error:
            raise error.inside(path) from None
        return record

    def check(self) -> None:
        """Raise InputError if fields do not fit each other."""


def read_record(
    text: str,
    kind: type[Record],
    build: Callable[[Record], Built],
    build_of_values: Callable[[dict[str, Any]], Built],
    file: str | None,
    line: int | None,
) -> Built:
    """Build an object from the JSON text of its record, or from its JSON values.

    An InputError names file and line of the text.
    """
    try:
        try:
            record = _decoder(kind).decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            # The values tell what is wrong. Or nothing is: only they may hold half of a surrogate pair.
            return build_of_values(parse_json_object(text))
        return build(record)
    except InputError as error:
        raise error.at(file=file, line=line) from None


def convert_record(kind: type[Record], values: Any, path: str = "") -> Record:
    """Read a record from the JSON values of an object, whose name in the document is ``path``."""
    if not isinstance(values, Mapping):
        raise InputError(f"expected an object, found {describe(values)}", field=path or None)
    # msgspec cannot say what is wrong with half of a surrogate pair.
    for prepare in (None, _without_nulls, _encodable):
        values = values if prepare is None else prepare(values)
        try:
            return msgspec.convert(values, kind)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            problem = str(error)
    message, field = _message(problem, values)
    raise InputError(message, field=f"{path}{field}".lstrip(".") or None)


@cache
def _decoder(kind: type[Record]) -> msgspec.json.Decoder[Record]:
    return msgspec.json.Decoder(kind)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(part) for key, part in value.items() if part is not None}
    return [_without_nulls(part) for part in value] if isinstance(value, list) else value


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(part) for key, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list) else value


def _message(error: str, values: Any) -> tuple[str, str]:
    """What was expected and found, and the field, of an error of msgspec."""
    problem, _, place = error.partition(" - at `$")
    place = place.removesuffix("`")
    if missing := _MISSING.match(problem):
        return "this field is required", f"{place}.{missing[1]}"
    for key, index in _PLACE.findall(place):
        values = values[key] if key else values[int(index)]
    expected = _EXPECTED.match(problem)
    if expected is None:
        return f"expected another value, found {describe(values)}", place
    kind, length, sign, bound = expected.groups()
    if length:
        return f"expected {length} items, found {len(values)}", place
    limit = f" of at {'least' if sign == '>=' else 'most'} {float(bound):.10g}" if sign else ""
    return f"expected {_KINDS.get(kind, kind)}{limit}, found {describe(values)}", place


def record_values(record: msgspec.Struct) -> dict[str, Any]:
    """The JSON values of a record, with lists for its tuples."""
    try:
        values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record, enc_hook=_item))
    except UnicodeEncodeError:  # half of a surrogate pair
        return parse_json_object(record_text(record))
    return values


def record_text(record: msgspec.Struct) -> str:
    """The JSON text of a record, on one line."""
    return format_json_object(msgspec.to_builtins(record, enc_hook=_item))


def record_schemas(kind: type[msgspec.Struct], place: str) -> dict[str, Any]:
    """The JSON schema of a record and of its parts, by the name of the class without ``Object``."""
    _, schemas = msgspec.json.schema_components([kind], ref_template=place + "{name}")
    return {name.removesuffix("Object"): _described(schema) for name, schema in schemas.items()}


def _described(schema: Any) -> Any:
    """A schema of what is written: null is never written for a field that may be absent."""
    if isinstance(schema, list):
        return [_described(part) for part in schema]
    if not isinstance(schema, dict):
        return schema.removesuffix("Object") if isinstance(schema, str) else schema
    optional = "default" in schema
    found = {key: _described(part) for key, part in schema.items() if key not in ("default", "title")}
    if optional and "anyOf" in found:
        kinds = [kind for kind in found.pop("anyOf") if kind != {"type": "null"}]
        found |= kinds[0]
    if "prefixItems" in found:
        found["items"] = found.pop("prefixItems")[0]
    if "properties" in found:
        found["description"] = found.get("description", "").partition("\n")[0]
        needed = found.get("required", ())
        properties = found["properties"].items()
        written = [name for name, part in properties if part.pop("written", False) or name in needed]
        found |= {"required": written} if written else {}
    return found


def check_length(values: list[Value] | None, length: int, field: str) -> list[Value] | None:
    """Return the items of an optional list if there are as many as there must be, or raise InputError."""
    if values is not None and len(values) != length:
        raise InputError(f"expected {length} items, found {len(values)}", field=field)
    return values


def check_span(span: tuple[int, int], field: str, length: int | None = None) -> tuple[int, int]:
    """Return a span that is not empty, and inside a sentence of ``length`` tokens, or raise InputError."""
    start, end = span
    if start >= end or (length is not None and end > length):
        inside = "" if length is None else f" inside a sentence of {length} tokens"
        raise InputError(f"expected a half-open span{inside}, found [{start}, {end}]", field=field)
    return span


def check_name(name: str, known: Collection[str], field: str) -> str:
    """Return one of some known names, or raise InputError."""
    if name not in known:
        raise InputError(f"expected one of {', '.join(known)}, found {describe(name)}", field=field)
    return name
