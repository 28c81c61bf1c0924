"""The result of an aligner: word links, phrase pairs, pairs of dependency arcs, and their views."""

from forest_align.alignment._alignment import Alignment, AlignmentList
from forest_align.alignment._links import ArcPair, Links, arc_order
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._phrase_relation import (
    CHANGE_NAMES,
    CHUNK_RELATIONS,
    RELATION_NAMES,
    SWAPPED_RELATIONS,
    AtomicRelation,
    PhraseRelation,
)
from forest_align.alignment._projection import Projection, Span, SpanPair, are_consistent, project
from forest_align.alignment.document_alignment import DocumentAlignment, SentenceGroup
from forest_align.alignment.json_objects import MOST_SIMILAR, alignment_schema
from forest_align.alignment.support_report import SummarySpan, SupportingSpan, SupportReport

__all__ = [
    "CHANGE_NAMES",
    "CHUNK_RELATIONS",
    "MOST_SIMILAR",
    "RELATION_NAMES",
    "SWAPPED_RELATIONS",
    "Alignment",
    "AlignmentList",
    "ArcPair",
    "AtomicRelation",
    "DocumentAlignment",
    "Links",
    "PhrasePair",
    "PhraseRelation",
    "Projection",
    "SentenceGroup",
    "Span",
    "SpanPair",
    "SummarySpan",
    "SupportReport",
    "SupportingSpan",
    "alignment_schema",
    "arc_order",
    "are_consistent",
    "project",
]
