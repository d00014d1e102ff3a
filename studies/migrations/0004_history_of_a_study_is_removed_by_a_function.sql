-- Audit and history are append-only for the application (docs/decisions/0052). This function runs as the owner of
-- the tables, and removes a batch of the lines of one study, once its days of grace are over (0055).
CREATE FUNCTION remove_history(gone bigint, most integer) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    removed bigint;
    more bigint;
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
    PERFORM set_config('crosscheck.door', '', true);
    RETURN removed + more;
END;
$$;
REVOKE ALL ON FUNCTION remove_history(bigint, integer) FROM PUBLIC;
