"""Write the tables of licences in THIRD_PARTY.md and in all model cards again.

They come from ``forest_align/bundled_parts.json``. A table stands between two comments, of which the first
names what it shows; everything else in these files is kept.

    python tools/write_licences.py
"""

from __future__ import annotations

import re
from pathlib import Path

from forest_align.cli.commands.licences import bundled_parts, markdown_table, part_rows, source_rows, use_rows

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(<!-- licences: ([\w-]+) -->\n).*?(<!-- end of licences -->)", re.DOTALL)


def pages() -> list[Path]:
    """The pages that hold such tables."""
    folders = dict.fromkeys(part.path for part in bundled_parts().parts.values())
    cards = (ROOT / folder / "README.md" for folder in folders if folder)
    return [ROOT / "THIRD_PARTY.md", *(card for card in cards if card.is_file())]


def table(name: str) -> str:
    """The table that a comment names: ``parts``, ``sources``, or a part's sources and commercial use."""
    known = bundled_parts()
    if name == "parts":
        return markdown_table(part_rows(known.parts))
    if name == "sources":
        return markdown_table(source_rows(known.sources))
    part = known.parts[name]
    lines = [markdown_table(use_rows(name))] if part.learned_from else []
    for title, others in (("Made with the output of", part.made_with), ("Loads", part.loads)):
        if others:
            lines.append(f"{title}: {', '.join(f'`{other}`' for other in others)}.\n")
    reason = known.reason(name)
    lines.append(
        f"Commercial use: **{known.commercial(name)}**{f', because of {reason}' if reason else ''}.\n"
    )
    return "\n" + "\n".join(lines) + "\n"


def rewritten(text: str) -> str:
    """The text of a page with its tables written again."""
    return BLOCK.sub(lambda found: found[1] + table(found[2]) + found[3], text)


def main() -> None:
    """Write all pages again."""
    for path in pages():
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
