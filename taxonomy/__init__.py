"""What can be said: taxonomies in versions, their drafts, proposals and votes."""
