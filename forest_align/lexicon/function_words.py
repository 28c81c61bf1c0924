"""Words that carry little content: aligned separately, skipped by extrinsic scores."""

from __future__ import annotations

from forest_align.lexicon.tables import plain_apostrophes

_LISTED = """
a about above after again against all am an and any are as at be because been before being below between
both but by can did do does doing don down during each few for from further had has have having he her here
hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of
off on once only or other our ours ourselves out over own s same she should so some such t than that the
their theirs them themselves then there these they this those through to too under until up very was we were
what when where which while who whom why will with you your yours yourself yourselves
also ca could may might must shall would n't wo sha 's 'd 'll 're 've 'm
    """
_RARER = """
ain although among aren cannot couldn d didn doesn either else ever every hadn hasn haven however isn ll m ma
many mightn mine much mustn na neither o one onto per quite rather re shan shouldn since therefore though
thus upon us ve via wasn weren whereas whether whose within without won wouldn y yet 't ' -lrb- -rrb- -lsb-
-rsb- -lcb- -rcb-
    """

#: Function words of Sultan et al. (2014): NLTK's list at that time, modals and clitics.
FUNCTION_WORDS = frozenset(_LISTED.split())

#: Closed-class English words, contractions as the Penn treebank splits them.
STOP_WORDS = FUNCTION_WORDS | frozenset(_RARER.split())


def is_content_word(word: str, stop_words: frozenset[str] = STOP_WORDS) -> bool:
    """Whether a word has a letter or digit and is not a stop word."""
    return plain_apostrophes(word.lower()) not in stop_words and any(map(str.isalnum, word))
