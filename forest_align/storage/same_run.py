"""Checks that an output to be resumed belongs to this run: same settings, same pairs."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence

from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

# Characters of a long value that messages show.
_SHOWN = 80

#: Words of the source and of the target; none if a sentence could not be read.
Sides = tuple[Sequence[str], Sequence[str]]


def check_made_with(found: Fields, made_with: Mapping[str, str], output: str | None) -> None:
    """Raise InputError that names the first setting that differs from the output's."""
    for name, value in made_with.items():
        if (then := found.text(name, "")) != value:
            raise InputError(
                f"cannot resume: {name} was {shown(then)} in the earlier run, now it is {shown(value)}; "
                "start over without --resume",
                file=output,
            )


def check_same_pair(expected: tuple[str, Sides], found: tuple[str, Sides], *, file: str, line: int) -> None:
    """Raise InputError if a line belongs to another pair: another name, or other words if both have words."""
    (name, words), (found_name, found_words) = expected, found
    if name != found_name:
        raise InputError(
            f"cannot resume: expected the alignment of pair {name!r}, found that of {found_name!r}; "
            "the file was made from other input",
            file=file,
            line=line,
        )
    for side, ours, theirs in zip(("source", "target"), words, found_words, strict=True):
        if ours and theirs and tuple(ours) != tuple(theirs):
            now, then = (reprlib.repr(" ".join(side)) for side in (ours, theirs))
            raise InputError(
                f"cannot resume: the {side} of pair {name!r} is {now} now and {then} in it; "
                "the file was made from other input",
                file=file,
                line=line,
            )


def check_same_run(
    written: str, line: int, pair_id: str, texts: tuple[str, str], path: str, aligner: str = ""
) -> None:
    """Check that the last line of a file to be resumed was made from the same pair by the same aligner.

    Empty ``texts`` or ``aligner`` are not compared. Raises InputError otherwise.
    """
    try:
        fields = Fields(parse_json_object(written))
        found, made_by = fields.text("id", ""), fields.text("aligner", "")
        found_texts = [fields.fields(side, {}).text("text", "") for side in ("source", "target")]
    except InputError as error:
        raise error.at(file=path, line=line) from None
    # Blanks may differ: without raw text, tokens are written with blanks between them.
    now, then = ((source.split(), target.split()) for source, target in (texts, found_texts))
    check_same_pair((pair_id, now), (found, then), file=path, line=line)
    if aligner and made_by not in ("", aligner):
        message = f"cannot resume: the {made_by} aligner made it, not the {aligner} aligner"
        raise InputError(message, file=path, line=line)


def shown(value: str) -> str:
    """A value in a message: quoted, and cut off if it is long."""
    if not value:
        return "not given"
    return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
