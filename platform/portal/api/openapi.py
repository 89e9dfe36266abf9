"""The description of the API: what ninja writes, and how every refusal looks."""

from __future__ import annotations

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from portal.api.schemas import ProblemDocument, ProblemOut

REFUSAL = {
    "description": "Refused, with a stable code",
    "content": {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
    },
}


def sends(content_type: str, description: str) -> dict[str, Any]:
    """What an operation says of a body that is no JSON."""
    content = {content_type: {"schema": {"type": "string"}}}
    return {"responses": {200: {"description": description, "content": content}}}


class DescribedAPI(NinjaAPI):
    """An API whose description names the problem document of every operation."""

    def get_openapi_schema(self, *args: Any, **kwargs: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(*args, **kwargs)
        reference = "#/components/schemas/{model}"
        for model in (ProblemOut, ProblemDocument):
            described = model.model_json_schema(ref_template=reference)
            described.pop("$defs", None)
            schema["components"]["schemas"].setdefault(model.__name__, described)
        for operations in schema["paths"].values():
            for operation in operations.values():
                operation["responses"]["default"] = REFUSAL
        return schema
