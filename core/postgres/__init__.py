"""Django's PostgreSQL engine, over the embedded server: ENGINE = "core.postgres", without a HOST."""
