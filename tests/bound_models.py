"""Changed files of models that pass for the saved ones, so that tests reach the checks of their content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path


def bind(changed: Path) -> None:
    """Write the digests of a changed file into the descriptions of its model and of those around it."""
    folder = changed.parent
    while (card := folder / "model.json").exists():
        try:
            values = json.loads(card.read_bytes())
        except (OSError, ValueError, RecursionError):
            values = None
        if card != changed and isinstance(values, dict):
            files = [(folder / entry["file"], entry) for entry in values.get("files", {}).values()]
            parts = [
                (folder / entry["folder"] / "model.json", entry) for entry in values.get("parts", {}).values()
            ]
            for path, entry in files + parts:
                if path.is_file():
                    entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            card.unlink()  # it may be a link to the bundled one
            card.write_text(json.dumps(values), encoding="utf-8")
        folder = folder.parent
