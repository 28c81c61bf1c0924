"""Align sentences whose trees come from elsewhere, and ask the bundled parser how sure it is."""

import math

import forest_align
from forest_align.parsing import sentence_from_bracket, sentence_from_n_best

aligner = forest_align.load("forest")
lemma = aligner.lexicon.lemma
source = sentence_from_bracket(
    "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN telescope)))) (. .))",
    lemmatizer=lemma,
)
target = sentence_from_n_best(  # log-probability, tab, tree: the aligner chooses among them
    [
        "-0.6\t(S (NP (PRP I)) (VP (VBD watched) (NP (NP (DT the) (NN man)) (PP (IN through)"
        " (NP (DT a) (NN telescope))))) (. .))",
        "-0.8\t(S (NP (PRP I)) (VP (VBD watched) (NP (DT the) (NN man)) (PP (IN through)"
        " (NP (DT a) (NN telescope)))) (. .))",
    ],
    lemmatizer=lemma,
)
print("chosen:", aligner.align(source, target).target_tree)

parser = forest_align.load_parser("en", forest_size=3)
sentence = parser.parse("Time flies like an arrow.")
for log_probability, tree in parser.n_best("Time flies like an arrow."):
    print(f"{log_probability:.2f}  {tree}")
for node in sentence.forest.node_of_span(0, 2):  # how probable is "Time flies" as a phrase, among all trees?
    label, log_probability = sentence.forest.node(node).label, sentence.forest.log_posterior[node]
    print(f"{label}: {math.exp(log_probability):.2f}")
