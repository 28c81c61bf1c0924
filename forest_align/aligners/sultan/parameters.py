"""The parameters of Sultan's aligner, and their file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path

from forest_align.aligners.model_folder import ModelFormat, damaged
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, check_text, check_texts, is_number

MODULES = frozenset({"sequences", "entities", "dependencies", "text", "stop words"})
FORMAT = ModelFormat("sultan", 1)


@dataclass(frozen=True, slots=True)
class PublishedParameters:
    """The free parameters of the paper, and the modules that its ablation (table 3) removes."""

    # *ppdbSim*: similarity of two different words that are in the paraphrase table, or, without a table,
    # count as similar
    ppdb_similarity: float = 0.9
    word_weight: float = 0.9  # *w*: weight of word similarity against context similarity
    window: int = 3  # Number of words on each side that count as textual neighbourhood
    modules: frozenset[str] = MODULES
    # Minimum cosine of the word vectors of two similar words if there is no paraphrase table. Chosen on
    # MSR-RTE dev and Edinburgh++ train, in steps of 0.01.
    cosine: float = 0.48

    def __post_init__(self) -> None:
        for field in ("ppdb_similarity", "word_weight", "cosine"):
            value = getattr(self, field)
            if not is_number(value) or not 0 <= value <= 1:
                raise InputError(f"expected a number from 0 to 1, found {value!r}", field=field)
        if self.ppdb_similarity == 0:  # words would be similar but add no evidence
            raise InputError("expected a number over 0, found 0", field="ppdb_similarity")
        if not isinstance(self.window, int) or isinstance(self.window, bool) or self.window < 0:
            raise InputError(f"expected a whole number from 0 on, found {self.window!r}", field="window")
        if unknown := set(self.modules) - MODULES:
            raise InputError(
                f"expected some of {', '.join(sorted(MODULES))}, found {', '.join(sorted(unknown))}",
                field="modules",
            )


def save_parameters(folder: str | Path, parameters: PublishedParameters, annotator: str) -> None:
    """Write ``model.json`` with the parameters and the name of the annotator into a folder."""
    values = {**asdict(parameters), "modules": sorted(parameters.modules)}
    FORMAT.save(folder, {"annotator": annotator, "parameters": values})


def load_parameters(folder: str | Path) -> tuple[PublishedParameters, str]:
    """Read what :func:`save_parameters` wrote: parameters and annotator."""
    card = FORMAT.card(folder)
    try:
        given = Fields(card.get("parameters"), "parameters")
        names = [field.name for field in fields(PublishedParameters)]
        if unknown := sorted(card["parameters"].keys() - set(names)):
            message = f"expected some of {', '.join(names)}, found {', '.join(unknown)}"
            raise InputError(message, field="parameters")
        # Folders of earlier versions lack parameters that came later.
        values = {name: given.raw(name) for name in names if given.has(name)}
        values["modules"] = frozenset(check_texts(given.raw("modules"), "modules"))
        return PublishedParameters(**values), check_text(card.get("annotator"), "annotator")
    except InputError as error:
        raise damaged(folder, error) from None
