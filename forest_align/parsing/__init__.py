"""From raw text to packed parse forests."""
