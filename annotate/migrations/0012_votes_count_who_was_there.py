import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0011_one_digest_a_day'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='vote',
            name='closed_votes_stay',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='vote',
            trigger=pgtrigger.compiler.Trigger(name='closed_votes_stay', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE cast_ballots integer; took_part integer;', func="\n                IF TG_OP = 'INSERT' THEN\n                    IF NEW.closed_at IS NOT NULL THEN\n                        RAISE EXCEPTION 'a vote is open before it is closed'\n                            USING ERRCODE = 'restrict_violation';\n                    END IF;\n                    RETURN NEW;\n                END IF;\n                IF TG_OP = 'DELETE' OR OLD.closed_at IS NOT NULL THEN\n                    RAISE EXCEPTION 'a vote stays as it was closed' USING ERRCODE = 'restrict_violation';\n                END IF;\n                IF NEW.closed_at IS NOT NULL THEN\n                    SELECT count(*) INTO cast_ballots FROM annotate_ballot b WHERE b.vote_id = NEW.id;\n                    SELECT CASE WHEN m.kind <> 'together' THEN cast_ballots ELSE (\n                        SELECT count(*) FROM annotate_participant p\n                        WHERE p.meeting_id = m.id AND p.joined_at IS NOT NULL\n                    ) END INTO took_part FROM annotate_meeting m WHERE m.id = NEW.meeting_id;\n                    IF NEW.present < cast_ballots OR NEW.present > took_part THEN\n                        RAISE EXCEPTION 'a vote counts who was there' USING ERRCODE = 'restrict_violation';\n                    END IF;\n                END IF;\n                RETURN NEW;\n                ", hash='bca5103f2973ba237db2d75c45a59325cdfe24e4', operation='INSERT OR UPDATE OR DELETE', pgid='pgtrigger_closed_votes_stay_99d7b', table='annotate_vote', when='BEFORE')),
        ),
    ]
