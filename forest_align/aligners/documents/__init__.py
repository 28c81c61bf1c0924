"""Alignment of documents: sentences of two texts in any order, then their words and phrases."""

from forest_align.aligners.documents._document_aligner import DocumentAligner, align_documents

__all__ = [
    "DocumentAligner",
    "align_documents",
]
