"""Packed forests: from span scores, n-best lists, or given trees."""
