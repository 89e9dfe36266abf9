"""Events are only ever added."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION plumbline_event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are only ever added' USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON evaluations_event
    FOR EACH ROW EXECUTE FUNCTION plumbline_event_stays();
CREATE TRIGGER event_table_stays BEFORE TRUNCATE ON evaluations_event
    FOR EACH STATEMENT EXECUTE FUNCTION plumbline_event_stays();
"""

BACKWARD = """
DROP TRIGGER event_table_stays ON evaluations_event;
DROP TRIGGER event_stays ON evaluations_event;
DROP FUNCTION plumbline_event_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0001_first")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
