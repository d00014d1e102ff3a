-- The door of 0004 opens when a study is due: so the day when it is due keeps the days of grace, whoever writes it.
-- No trigger of pgtrigger, which the application's role may pass over (docs/decisions/0055).
CREATE FUNCTION a_deletion_waits() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.delete_at IS NULL OR NEW.delete_at >= now() + interval '29 days'
       OR TG_OP = 'UPDATE' AND NEW.delete_at IS NOT DISTINCT FROM OLD.delete_at THEN
        RETURN NEW;
    END IF;
    IF coalesce(current_setting('crosscheck.door', true), '') <> '' AND current_user =
        (SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = TG_RELID) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a study is deleted 30 days after somebody asks, at the earliest'
        USING ERRCODE = 'insufficient_privilege';
END;
$$;
CREATE TRIGGER a_deletion_waits BEFORE INSERT OR UPDATE OF delete_at ON studies_study
    FOR EACH ROW EXECUTE FUNCTION a_deletion_waits();
