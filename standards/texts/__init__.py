"""The files that are made from facts and answers: checklist, method section, data availability, citation."""
