"""How two corresponding phrases are related: the names of relations and of changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, check_number, check_texts, describe

#: Names of relations: those of interpretable semantic similarity (Agirre et al. 2016, §3.1). *More specific*:
#: the source phrase says more than the target phrase. *More general*: it says less.
RELATION_NAMES = ("equivalent", "more specific", "more general", "similar", "related", "opposite")
#: Names of what may differ between two corresponding phrases apart from the choice of words.
CHANGE_NAMES = (
    "inflection",
    "derivation",
    "spelling",
    "format",
    "name",
    "number",
    "pronoun",
    "word order",
)

_SWAPPED = {"more specific": "more general", "more general": "more specific"}
#: For each relation, the number of the one that the swapped phrases have.
SWAPPED_RELATIONS = tuple(RELATION_NAMES.index(_SWAPPED.get(name, name)) for name in RELATION_NAMES)


@dataclass(frozen=True, slots=True)
class PhraseRelation:
    """How the source phrase of a pair is related to its target phrase.

    Attributes
    ----------
    name : str
        One of :data:`RELATION_NAMES`.
    probability : float
        Probability that this is the relation, in [0, 1], if the phrases correspond.
    changes : tuple of str
        What differs, of :data:`CHANGE_NAMES`.
    """

    name: str
    probability: float
    changes: tuple[str, ...] = ()

    def swap(self) -> PhraseRelation:
        """The relation of the target phrase to the source phrase."""
        return replace(self, name=_SWAPPED.get(self.name, self.name))

    def to_dict(self) -> dict[str, Any]:
        """JSON values, as fields of the phrase pair.

        Raises
        ------
        InputError
            If the probability is not finite.
        """
        values: dict[str, Any] = {
            "relation": self.name,
            "relation_probability": check_number(self.probability, "phrases.relation_probability"),
        }
        return values | ({"changes": list(self.changes)} if self.changes else {})


def read_relation(fields: Fields) -> PhraseRelation | None:
    """Read what :meth:`PhraseRelation.to_dict` wrote from the fields of a phrase pair; None if it has none.

    Raises
    ------
    InputError
        If a name is unknown, the probability is out of range, or one of the fields is missing.
    """
    if not any(map(fields.has, ("relation", "relation_probability", "changes"))):
        return None
    changes = check_texts(fields.items("changes", []), fields.name("changes"))
    for k, change in enumerate(changes):
        _check_name(change, CHANGE_NAMES, f"{fields.name('changes')}[{k}]")
    return PhraseRelation(
        _check_name(fields.text("relation"), RELATION_NAMES, fields.name("relation")),
        fields.probability("relation_probability"),
        tuple(changes),
    )


def _check_name(name: str, known: tuple[str, ...], field: str) -> str:
    if name not in known:
        raise InputError(f"expected one of {', '.join(known)}, found {describe(name)}", field=field)
    return name
