"""Dates from the year down, and numbers in groups of three, as software writes them in China."""

DATE_FORMAT = "Y年n月j日"
DATETIME_FORMAT = "Y年n月j日 H:i"
SHORT_DATE_FORMAT = "Y年n月j日"
SHORT_DATETIME_FORMAT = "Y年n月j日 H:i"
MONTH_DAY_FORMAT = "n月j日"
TIME_FORMAT = "H:i"
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
