"""Nouns for the two roles in a relation, such as *teacher* and *student*."""

from __future__ import annotations

# The nouns of a role, then those of the converse one. WordNet has some as antonyms (employer and employee,
# parent and child); the ending -ee gives others (trainer and trainee).
_ROLES = """
buyer purchaser shopper | seller vendor salesman saleswoman salesperson dealer merchant retailer
customer client consumer | seller vendor supplier provider
teacher tutor instructor professor lecturer educator | student pupil learner schoolchild
trainer coach | trainee apprentice player athlete
doctor physician surgeon dentist nurse therapist | patient
lawyer attorney solicitor barrister | client
employer boss manager supervisor | employee worker staff subordinate underling
landlord landlady lessor | tenant lodger renter lessee
lender creditor | borrower debtor
master owner | servant slave
host hostess | guest visitor
predator hunter | prey
donor giver sender | recipient receiver beneficiary
author writer | reader
speaker | listener hearer audience
winner victor | loser
victim | attacker perpetrator culprit offender murderer killer assailant rapist abuser
plaintiff claimant prosecutor accuser | defendant accused
parent father mother mom dad | child son daughter kid
grandparent grandfather grandmother | grandchild grandson granddaughter
aunt uncle | nephew niece
ancestor forefather | descendant offspring
predecessor | successor
guard jailer warden | prisoner inmate
kidnapper captor | hostage captive
leader | follower
king queen monarch emperor sovereign | subject
producer manufacturer maker | consumer
exporter | importer
"""
_SHORTEST_STEM = 3
_MALE = "he him his himself mr mr. sir male guy chap pa hero emperor god"
_FEMALE = "she her hers herself mrs mrs. ms ms. miss madam ma'am gal ma mum nun goddess"

#: Male and female words that are no nouns of WordNet, or nouns most of whose senses are no people.
SEXES = dict.fromkeys(_MALE.split(), "male") | dict.fromkeys(_FEMALE.split(), "female")


def _read_roles() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Roles that each noun plays, as keys, and the keys of the converse ones."""
    own: dict[str, tuple[str, ...]] = {}
    converse: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(_ROLES.strip().split("\n")):
        sides = [side.split() for side in line.split("|")]
        for side, nouns in enumerate(sides):
            for noun in nouns:
                own[noun] = (*own.get(noun, ()), f"{number}.{side}")
                converse[noun] = (*converse.get(noun, ()), f"{number}.{1 - side}")
    return own, converse


_OWN, _CONVERSE = _read_roles()


def roles(noun: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of the roles that a noun plays, and keys of the converse roles.

    Two nouns are converse roles if a key of one is a converse key of the other: those of the table, and nouns
    in -er or -or and in -ee of one stem.
    """
    own, converse = _OWN.get(noun, ()), _CONVERSE.get(noun, ())
    for ending, other in (("er", "ee"), ("or", "ee"), ("ee", "er")):
        if noun.endswith(ending) and not noun.endswith("eer") and len(noun) - 2 >= _SHORTEST_STEM:
            stem = noun[:-2]
            ending = "er" if ending == "or" else ending
            return (*own, f"{stem}.{ending}"), (*converse, f"{stem}.{other}")
    return own, converse
