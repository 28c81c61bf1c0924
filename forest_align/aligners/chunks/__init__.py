"""Given chunks, aligned through word links, with the relation and the similarity of each pair."""
