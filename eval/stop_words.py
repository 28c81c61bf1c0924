"""Words that carry little content, so that extrinsic scores can look at the others."""

from __future__ import annotations

_LISTED = """
a about above after again against ain all also although am among an and any are aren as at be because been
before being below between both but by ca can cannot could couldn d did didn do does doesn doing don down
during each either else ever every few for from further had hadn has hasn have haven having he her here
hers herself him himself his how however i if in into is isn it its itself just ll m ma many may me might
mightn mine more most much must mustn my myself na neither nor no not now n't o of off on once one only
onto or other our ours ourselves out over own per quite rather re s same shall shan she should shouldn
since so some such t than that the their theirs them themselves then there therefore these they this
those though through thus to too under until up upon us ve very via was wasn we were weren what when
where whereas whether which while who whom whose why will with within without wo won would wouldn y yet
you your yours yourself yourselves 's 'm 're 've 'd 'll 't ' ’s n’t ’m ’re ’ve ’d ’ll -lrb- -rrb- -lsb-
-rsb- -lcb- -rcb-
    """

#: Closed-class English words, contractions as the Penn treebank splits them.
STOP_WORDS = frozenset(_LISTED.split())


def is_content_word(word: str) -> bool:
    """Whether a word has a letter or digit and is no stop word."""
    return word.lower() not in STOP_WORDS and any(map(str.isalnum, word))
