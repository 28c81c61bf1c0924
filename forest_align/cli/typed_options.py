"""Options of commands: frozen dataclasses of typed fields, from which argument parsers are generated."""

from __future__ import annotations

import argparse
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def option(*flags: str, default: Any = None, **settings: Any) -> Any:
    """A field that holds the value of an option; ``settings`` are further arguments of ``add_argument``.

    Without ``flags`` it is an argument. A flag has the value that it does not set.
    """
    action = settings.get("action")
    if action in ("store_true", "store_false"):
        default = action == "store_false"
    is_required = settings.get("required") or not (flags or settings.get("nargs") in ("?", "*"))
    return field(
        default=MISSING if is_required else default,
        kw_only=True,
        metadata={"flags": flags, "settings": settings},
    )


def argument(metavar: str, **settings: Any) -> Any:
    """A field that holds an argument without a flag; see :func:`option`."""
    return option(metavar=metavar, **settings)


def part(options: type[T]) -> T:
    """A field that holds options which several commands share, in a dataclass of their own."""
    # The default stands for options that are not given, in programs that make the options themselves.
    return field(default_factory=options, kw_only=True, metadata={"part": options})


def declare(parser: argparse.ArgumentParser, options: type) -> None:
    """Declare the fields of a dataclass of options, in order."""
    for one in fields(options):
        if "part" in one.metadata:
            declare(parser, one.metadata["part"])
            continue
        flags, settings = one.metadata["flags"], dict(one.metadata["settings"])
        if one.default is not MISSING and settings.get("action") != "append":
            settings["default"] = one.default
        if flags:
            settings["help"] = _help(settings)
            parser.add_argument(*flags, dest=one.name, **settings)
        else:
            parser.add_argument(one.name, **settings)


def _help(settings: dict[str, Any]) -> str | None:
    """The help of an option, with its default at the end if the text does not tell it itself."""
    text, default = settings.get("help"), settings.get("default")
    if not text or isinstance(default, bool) or default in (None, ()) or "default: " in text:
        return text
    values = default if isinstance(default, tuple) else (default,)
    shown = " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
    return f"{text}; default: {shown}"


def read(options: type[T], parsed: argparse.Namespace) -> T:
    """Make a dataclass of options from parsed arguments; lists become tuples."""
    return options(**{one.name: _value(one, parsed) for one in fields(options)})  # type: ignore[arg-type]


def _value(one: Field[Any], parsed: argparse.Namespace) -> Any:
    if "part" in one.metadata:
        return read(one.metadata["part"], parsed)
    value = getattr(parsed, one.name)
    if value is None and one.default is not MISSING:
        return one.default
    return tuple(value) if isinstance(value, list) else value


def view(options: type[T], given: Any) -> T:
    """The options of a dataclass that a command has among its own; the others have their defaults."""
    names = (one.name for one in fields(options))  # type: ignore[arg-type]
    return options(**{name: getattr(given, name) for name in names if hasattr(given, name)})


def is_given(options: Any, name: str) -> bool:
    """Whether an option has another value than its default."""
    default = next(one.default for one in fields(options) if one.name == name)
    return bool(getattr(options, name) != default)
