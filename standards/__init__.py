"""What reviewers ask of a labelling study, and how this study answers each item, with its evidence."""
