"""Read and write JSON: input is checked, and errors name the wrong field and what was expected."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from forest_align.types.errors import InputError

#: Largest absolute value of a weight, far above the largest of the bundled models. Larger ones
#: indicate a damaged file. Scores computed from them would exceed those that kernels take, see
#: :data:`forest_align.cext.checked_arrays.LARGEST_SCORE`.
LARGEST_WEIGHT = 1e4


_MISSING = object()


def parse_json(text: str) -> Any:
    """Parse JSON without NaN and infinities; raises InputError that names the column."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} at column {error.pos + 1}") from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"not JSON: {error}") from None


def parse_json_object(text: str) -> dict[str, Any]:
    """Parse one JSON object; raises InputError if the text is not JSON, or not an object."""
    value = parse_json(text)
    if not isinstance(value, dict):
        raise InputError(f"expected a JSON object, found {describe(value)}")
    return value


def format_json_object(values: Mapping[str, Any], indent: int | None = None) -> str:
    """Write one JSON object, the opposite of :func:`parse_json_object`, on one line unless indented.

    Raises ValueError if a number is not finite.
    """
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair (broken input) can be escaped
        return json.dumps(values, allow_nan=False, indent=indent)
    return text


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def describe(value: Any) -> str:
    """Describe a value in a message: its JSON type and, if short, the value itself."""
    if value is None:
        return "null"
    for kind, name in (
        (bool, ""),
        (str, "string"),
        ((int, float), "number"),
        (Mapping, "object"),
        (list, "list"),
    ):
        if isinstance(value, kind):
            shown = json.dumps(value) if not isinstance(value, Mapping | list) else ""
            return f"{name} {shown if len(shown) <= 40 else ''}".strip()
    return type(value).__name__


class Fields:
    """The fields of one JSON object, each read with a check of its type; errors begin with its ``path``."""

    def __init__(self, values: Any, path: str = "") -> None:
        if not isinstance(values, Mapping):
            raise InputError(f"expected an object, found {describe(values)}", field=path or None)
        self._values = values
        self._path = path

    def name(self, key: str) -> str:
        """Full name of a field, for messages."""
        return f"{self._path}.{key}" if self._path else key

    def has(self, key: str) -> bool:
        """Whether the field is there and is not null."""
        return self._values.get(key) is not None

    def raw(self, key: str, default: Any = _MISSING) -> Any:
        """The value as it is; null counts as absent."""
        value = self._values.get(key)
        if value is None:
            if default is _MISSING:
                raise InputError("this field is required", field=self.name(key))
            return default
        return value

    def text(self, key: str, default: Any = _MISSING) -> str:
        """A string."""
        value = self.raw(key, default)
        return value if value is default else check_text(value, self.name(key))

    def identifier(self, key: str, default: Any = _MISSING) -> str:
        """A string, or a whole number such as ``7`` or ``7.0``, converted to a string."""
        value = self.raw(key, default)
        # pandas converts whole numbers to floats in a column that has gaps.
        if type(value) is int or (isinstance(value, float) and value.is_integer()):
            return str(int(value))
        if isinstance(value, str):
            return value
        raise InputError(
            f"expected a string or a whole number, found {describe(value)}", field=self.name(key)
        )

    def boolean(self, key: str, default: Any = _MISSING) -> bool:
        """A boolean."""
        value = self.raw(key, default)
        return value if value is default else check_boolean(value, self.name(key))

    def integer(self, key: str, default: Any = _MISSING) -> int:
        """An integer."""
        value = self.raw(key, default)
        return value if value is default else check_integer(value, self.name(key))

    def number(self, key: str, default: Any = _MISSING) -> Any:
        """A finite number, as a float (or the default)."""
        value = self.raw(key, default)
        return value if value is default else check_number(value, self.name(key))

    def probability(self, key: str, default: Any = _MISSING) -> float:
        """A number in [0, 1]."""
        value = self.raw(key, default)
        return value if value is default else check_probability(value, self.name(key))

    def items(self, key: str, default: Any = _MISSING, length: int | None = None) -> list[Any]:
        """A list, of the given length if one is given; absent gives the default."""
        value = self.raw(key, default)
        return value if value is default else check_list(value, self.name(key), length)

    def fields(self, key: str, default: Any = _MISSING) -> Fields:
        """An object inside this one."""
        return Fields(self.raw(key, default), self.name(key))


def check_text(value: Any, field: str) -> str:
    """Return a string or raise InputError."""
    if not isinstance(value, str):
        raise InputError(f"expected a string, found {describe(value)}", field=field)
    return value


def check_boolean(value: Any, field: str) -> bool:
    """Return a boolean or raise InputError."""
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, found {describe(value)}", field=field)
    return value


def check_integer(value: Any, field: str) -> int:
    """Return an integer (not a boolean) or raise InputError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"expected an integer, found {describe(value)}", field=field)
    return value


def is_whole_number(value: Any) -> bool:
    """Whether a value is an integer of Python or numpy, but not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that fits into a float, but not a boolean."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def check_number(value: Any, field: str) -> float:
    """Return a finite float or raise InputError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"expected a number, found {describe(value)}", field=field)
    if not (math.isfinite(value) if isinstance(value, float) else is_number(value)):
        raise InputError("expected a finite number", field=field)
    return float(value)


def check_optional(value: Any, field: str) -> float | None:
    """Return a finite float, or None for None, or raise InputError."""
    return None if value is None else check_number(value, field)


def check_probability(value: Any, field: str) -> float:
    """Return a float in [0, 1] or raise InputError."""
    number = check_number(value, field)
    if not 0.0 <= number <= 1.0:
        raise InputError(f"expected a probability from 0 to 1, found {number:g}", field=field)
    return number


def check_list(value: Any, field: str, length: int | None = None) -> list[Any]:
    """Return a list, of the given length if one is given, or raise InputError."""
    if not isinstance(value, list):
        raise InputError(f"expected a list, found {describe(value)}", field=field)
    if length is not None and len(value) != length:
        raise InputError(f"expected {length} items, found {len(value)}", field=field)
    return value


def check_texts(value: Any, field: str) -> list[str]:
    """Return a list of strings or raise InputError."""
    return [check_text(x, f"{field}[{k}]") for k, x in enumerate(check_list(value, field))]
