"""The neural networks of the parser and the tagger, and their model files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.parsing.networks.encoder_scorer import EncoderScorer
    from forest_align.parsing.networks.span_scores import SpanScorer, SpanScores
    from forest_align.parsing.networks.word_tagger import WordTagger

__all__ = [
    "EncoderScorer",
    "SpanScorer",
    "SpanScores",
    "WordTagger",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "EncoderScorer": "forest_align.parsing.networks.encoder_scorer",
        "SpanScorer": "forest_align.parsing.networks.span_scores",
        "SpanScores": "forest_align.parsing.networks.span_scores",
        "WordTagger": "forest_align.parsing.networks.word_tagger",
    },
)
