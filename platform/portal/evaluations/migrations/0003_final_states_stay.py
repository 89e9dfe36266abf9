"""The state machine of an evaluation, held by the database as well.

QUEUED -> RUNNING -> SCORED, REJECTED, FAILED or WITHDRAWN; RUNNING -> QUEUED after
a fault of ours; QUEUED -> WITHDRAWN. A final state stays, attempts only grow.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION plumbline_evaluation_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.attempt < OLD.attempt THEN
        RAISE EXCEPTION 'attempts only grow' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NOT (
        OLD.status = 'QUEUED' AND NEW.status IN ('RUNNING', 'WITHDRAWN')
        OR OLD.status = 'RUNNING'
           AND NEW.status IN ('QUEUED', 'SCORED', 'REJECTED', 'FAILED', 'WITHDRAWN')
    ) THEN
        RAISE EXCEPTION 'an evaluation does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER evaluation_moves BEFORE UPDATE ON evaluations_evaluation
    FOR EACH ROW EXECUTE FUNCTION plumbline_evaluation_moves();
"""

BACKWARD = """
DROP TRIGGER evaluation_moves ON evaluations_evaluation;
DROP FUNCTION plumbline_evaluation_moves();
"""


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0002_events_only_added")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
