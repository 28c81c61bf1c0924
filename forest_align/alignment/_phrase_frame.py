"""The phrase pairs of an alignment as a pandas table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import core_places, ordered_pairs, spans_of

if TYPE_CHECKING:
    import pandas


def phrase_frame(alignment: AlignmentRecord) -> pandas.DataFrame:
    """A table with a row for each phrase pair, in the views' order; raises ImportError without pandas."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("a table of phrases needs pandas: pip install pandas") from error
    pairs = ordered_pairs(alignment)
    core = core_places(alignment, pairs)
    texts = [alignment.texts_of(pair) for pair in pairs]
    spans = [spans_of(pair) for pair in pairs]
    return pandas.DataFrame(
        {
            "source": [source for source, _ in texts],
            "target": [target for _, target in texts],
            "differs": [place in core for place in range(len(pairs))],
            "probability": [pair.probability for pair in pairs],
            "relation": [None if pair.relation is None else pair.relation.name for pair in pairs],
            "source_label": [pair.source_node.label for pair in pairs],
            "target_label": [pair.target_node.label for pair in pairs],
            "source_spans": [source for source, _ in spans],
            "target_spans": [target for _, target in spans],
        }
    )
