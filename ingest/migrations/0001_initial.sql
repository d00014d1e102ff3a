-- A search reads which texts the index names, never their words: these lie apart, so that few pages are read.
ALTER TABLE ingest_searchedtext SET (toast_tuple_target = 128);

-- The planner does not know what it costs to unpack the words of a text, and would read those of all texts for a word that
-- many texts have: 500 ms instead of 10 at 40,000 texts. So the index is asked, whatever the planner thinks.
CREATE FUNCTION ingest_texts_with(sought tsquery) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20000
SET enable_seqscan = off
AS $$ SELECT snapshot_id FROM ingest_searchedtext WHERE words @@ sought $$;
