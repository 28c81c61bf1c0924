"""The baseline of phrase alignment: word links projected onto the parser's best trees."""
