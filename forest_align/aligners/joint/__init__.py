"""The joint phrase and dependency aligner (Thadani, Martin & White, 2012)."""
