"""The pages that need everything: home, the stages of a study, the daily mail."""
