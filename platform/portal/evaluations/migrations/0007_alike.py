"""Answers are held against those of others, once; what is alike is a flag for maintainers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0005_queues")]

    operations = [
        migrations.CreateModel(
            name="Flag",
            fields=[],
            options={"ordering": ("-id",), "proxy": True, "indexes": [], "constraints": []},
            bases=("evaluations.event",),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="compared_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When its answers were held against those of others.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(
                    ("compared_at__isnull", True),
                    ("status", "SCORED"),
                    models.Q(("answers_digest", ""), _negated=True),
                ),
                fields=["finished_at"],
                name="evaluation_wants_comparison",
            ),
        ),
    ]
