"""What models of erring raters make of label tuples: how probable each category is, beside the decision."""
