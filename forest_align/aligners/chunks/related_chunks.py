"""Aligned chunks between two forms: phrase pairs with relations, and the chunk links of iSTS."""

from __future__ import annotations

from collections.abc import Iterable

from forest_align.alignment import CHUNK_RELATIONS, Alignment, PhrasePair
from forest_align.data.formats.format import ChunkLink

#: Name of the aligner of chunks.
CHUNK_ALIGNER = "chunks"
# The relation that each type of iSTS names.
_RELATION_OF_TYPE = dict(zip(("EQUI", "SPE1", "SPE2", "SIMI", "REL", "OPPO"), CHUNK_RELATIONS, strict=True))
_TYPE_OF_RELATION = {relation: type for type, relation in _RELATION_OF_TYPE.items()}


def related_links(phrases: Iterable[PhrasePair]) -> list[ChunkLink]:
    """The chunk links of phrase pairs with a relation and a similarity, one each; others are left out."""
    return [
        ChunkLink(
            tuple(range(*pair.source_node.span)),
            tuple(range(*pair.target_node.span)),
            _TYPE_OF_RELATION[pair.relation.name],
            f"{pair.similarity:.0f}",
        )
        for pair in phrases
        if pair.relation is not None and pair.similarity is not None
    ]


def chunk_links(alignment: Alignment) -> list[ChunkLink]:
    """All chunk links of a result of the chunk aligner, as a ``.wa`` file has them.

    Chunks that share a partner are one link with the type and score of its most probable pair. Chunks without
    partner are links of type ``NOALI``.
    """
    groups: list[list[PhrasePair]] = []
    for pair in alignment.phrases:
        touched = [group for group in groups if any(_share(pair, other) for other in group)]
        groups = [group for group in groups if group not in touched]
        groups.append([*(one for group in touched for one in group), pair])
    links = []
    for group in groups:
        (best,) = related_links([max(group, key=lambda pair: pair.probability)])
        tokens = [
            sorted({token for span in spans for token in range(*span)})
            for spans in zip(*((pair.source_node.span, pair.target_node.span) for pair in group), strict=True)
        ]
        links.append(ChunkLink(tuple(tokens[0]), tuple(tokens[1]), best.type, best.score))
    links += [ChunkLink(tuple(range(*span)), (), "NOALI") for span in alignment.unaligned_source]
    links += [ChunkLink((), tuple(range(*span)), "NOALI") for span in alignment.unaligned_target]
    return sorted(links, key=lambda link: (not link.source, link.source, link.target))


def _share(one: PhrasePair, other: PhrasePair) -> bool:
    return one.source_node.span == other.source_node.span or one.target_node.span == other.target_node.span
