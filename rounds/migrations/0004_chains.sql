-- As in studies 0004, with the seals of the study's rounds (docs/decisions/0061).
CREATE OR REPLACE FUNCTION remove_history(gone bigint, most integer) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    removed bigint;
    more bigint;
    seals bigint;
    events bigint;
    contexts uuid[];
BEGIN
    PERFORM FROM public.studies_study WHERE id = gone AND delete_at <= now();
    IF NOT FOUND THEN
        RAISE EXCEPTION 'study % is not due for deletion', gone USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM set_config('crosscheck.door', 'remove_history', true);
    WITH lines AS (
        DELETE FROM public.rounds_labelevent WHERE pgh_id IN (
            SELECT e.pgh_id FROM public.rounds_labelevent e
            JOIN public.studies_membership m ON m.id = e.volunteer_id WHERE m.study_id = gone LIMIT most
        ) RETURNING pgh_context_id
    )
    SELECT count(*), array_agg(DISTINCT pgh_context_id) INTO removed, contexts FROM lines;
    DELETE FROM public.pghistory_context c WHERE c.id = ANY(contexts)
        AND NOT EXISTS (SELECT FROM public.rounds_labelevent e WHERE e.pgh_context_id = c.id);
    DELETE FROM public.studies_event WHERE id IN (
        SELECT id FROM public.studies_event WHERE study_id = gone LIMIT most
    );
    GET DIAGNOSTICS more = ROW_COUNT;
    DELETE FROM public.rounds_sealedevent WHERE id IN (
        SELECT s.id FROM public.rounds_sealedevent s
        JOIN public.rounds_seal b ON b.id = s.seal_id WHERE b.study_id = gone LIMIT most
    );
    GET DIAGNOSTICS events = ROW_COUNT;
    DELETE FROM public.rounds_seal b WHERE b.study_id = gone
        AND NOT EXISTS (SELECT FROM public.rounds_sealedevent s WHERE s.seal_id = b.id);
    GET DIAGNOSTICS seals = ROW_COUNT;
    PERFORM set_config('crosscheck.door', '', true);
    RETURN removed + more + events + seals;
END;
$$;
REVOKE ALL ON FUNCTION remove_history(bigint, integer) FROM PUBLIC;
