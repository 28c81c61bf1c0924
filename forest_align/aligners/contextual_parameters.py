"""The parameters of the published contextual aligner and the file that keeps them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from forest_align.aligners.model_folder import check_card, read_card, write_card
from forest_align.types import ModelError

MODULES = frozenset({"sequences", "entities", "dependencies", "text", "stop words"})
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class PublishedParameters:
    """The free parameters of the paper and what its ablation (table 3) takes away.

    Attributes
    ----------
    ppdb_similarity : float
        *ppdbSim*: similarity of two different words that the paraphrase table holds, or that are similar
        where there is no table.
    word_weight : float
        *w*: weight of word similarity against context similarity.
    window : int
        Words to each side that count as textual neighbourhood.
    modules : frozenset of str
        Which of :data:`MODULES` run.
    cosine : float
        Cosine of word vectors from which on two different words are similar where there is no paraphrase
        table. Chosen on MSR-RTE dev and Edinburgh++ train, in steps of 0.01.
    """

    ppdb_similarity: float = 0.9
    word_weight: float = 0.9
    window: int = 3
    modules: frozenset[str] = MODULES
    cosine: float = 0.6


def save_parameters(folder: str | Path, parameters: PublishedParameters, annotator: str) -> None:
    """Write ``model.json`` with the parameters and the name of the annotator into a folder."""
    card = {
        "format": "contextual",
        "version": FORMAT_VERSION,
        "variant": "published",
        "annotator": annotator,
        "parameters": {**asdict(parameters), "modules": sorted(parameters.modules)},
    }
    write_card(folder, card)


def load_parameters(folder: str | Path) -> tuple[PublishedParameters, str] | None:
    """Read what :func:`save_parameters` wrote: parameters and annotator; None if it is no published variant.

    Raises
    ------
    ModelError
        If the file cannot be read, or is of another version or has other parameters.
    """
    card = read_card(folder)
    if card.get("variant") != "published":
        return None
    check_card(card, folder, "contextual", FORMAT_VERSION)
    try:
        values = dict(card["parameters"])
        modules = frozenset(values.pop("modules"))
        parameters = PublishedParameters(**values, modules=modules)
        numbers = (parameters.ppdb_similarity, parameters.word_weight, parameters.cosine)
        if not (
            modules <= MODULES and isinstance(parameters.window, int) and all(0 <= x <= 1 for x in numbers)
        ):
            raise ValueError("a value is out of its range")
        return parameters, str(card["annotator"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the parameters in {folder} are not those of this version: {error}") from error
