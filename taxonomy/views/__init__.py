"""The pages of taxonomies."""
