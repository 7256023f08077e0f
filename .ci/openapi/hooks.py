"""Tells Schemathesis what the document does not: the forms of texts, of cursors and of integers."""

import schemathesis


# The document itself has no patterns, because clients in other languages do not read them alike.
@schemathesis.hook
def before_load_schema(_context, document):
    text = r"^[^\x00-\x1F\x7F-\x9F\uFFFD]*\Z"
    members = document["components"]["schemas"]["NewPlant"]["properties"]
    for schema in members.values():
        if schema["type"] == "string":
            schema["pattern"] = text
    for parameter in document["paths"]["/plants"]["get"]["parameters"]:
        if parameter["name"] == "cursor":
            parameter["schema"]["pattern"] = r"^1[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]\Z"


def whole(_context, values):
    """Writes integers in a path or query as the API reads them: 7 instead of 7.0."""
    return values and {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in values.items()
    }


schemathesis.hook("map_path_parameters")(whole)
schemathesis.hook("map_query")(whole)
