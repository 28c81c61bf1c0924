"""Training of sentence alignment: documents with known alignments, and the regressions of links."""

from forest_align.em.documents.constructed_documents import (
    ORDERS,
    ConstructedDocuments,
    construct,
    constructed_corpus,
)

__all__ = [
    "ORDERS",
    "ConstructedDocuments",
    "construct",
    "constructed_corpus",
]
