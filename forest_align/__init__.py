"""Phrase and word alignment of English paraphrases on packed parse forests.

Nothing heavy is imported here: names are resolved on first use, so that ``import forest_align`` stays fast
and never imports torch by itself. Only the waiting of torch's threads is set here, as that must come first.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from forest_align._faces import lazy_face
from forest_align._version import __version__

if TYPE_CHECKING:
    from forest_align.aligners import Aligner, align, align_many, load
    from forest_align.aligners.attribution import SupportFinder, support
    from forest_align.aligners.documents import DocumentAligner, align_documents
    from forest_align.alignment import (
        Alignment,
        ArcPair,
        DocumentAlignment,
        Links,
        PhrasePair,
        PhraseRelation,
        SentenceGroup,
        SummarySpan,
        SupportingSpan,
        SupportReport,
    )
    from forest_align.parsing import Parser, load_parser
    from forest_align.types import (
        ForestAlignError,
        InputError,
        ModelError,
        Node,
        ParseForest,
        Sentence,
        Token,
    )

__all__ = [
    "Aligner",
    "Alignment",
    "ArcPair",
    "DocumentAligner",
    "DocumentAlignment",
    "ForestAlignError",
    "InputError",
    "Links",
    "ModelError",
    "Node",
    "ParseForest",
    "Parser",
    "PhrasePair",
    "PhraseRelation",
    "Sentence",
    "SentenceGroup",
    "SummarySpan",
    "SupportFinder",
    "SupportReport",
    "SupportingSpan",
    "Token",
    "__version__",
    "align",
    "align_documents",
    "align_many",
    "load",
    "load_parser",
    "support",
]

_HOMES = {
    "forest_align.aligners": "Aligner align align_many load",
    "forest_align.aligners.attribution": "SupportFinder support",
    "forest_align.aligners.documents": "DocumentAligner align_documents",
    "forest_align.alignment": (
        "Alignment ArcPair DocumentAlignment Links PhrasePair PhraseRelation SentenceGroup SummarySpan "
        "SupportReport SupportingSpan"
    ),
    "forest_align.parsing": "Parser load_parser",
    "forest_align.types": "ForestAlignError InputError ModelError Node ParseForest Sentence Token",
}


# Torch's threads wait for each other at every operation. If each has a processor, GNU's OpenMP lets them spin
# for milliseconds, even if other programs use these processors. The value is the one that it uses when there
# are more threads than processors. It is read when torch is loaded; values that the user has set are kept.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

__getattr__, __dir__ = lazy_face(__name__, _HOMES)
