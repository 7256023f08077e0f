"""Tells Schemathesis what the document does not: the forms of texts, of cursors and of integers.

The document itself has no patterns, because clients in other languages do not read them alike.
"""

import re

import schemathesis


@schemathesis.hook
def before_load_schema(_context, document):
    bodies = {}
    for path in document["paths"].values():
        for operation in path.values():
            if body := operation.get("requestBody"):
                name = body["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
                bodies[name] = document["components"]["schemas"][name]
            links = re.findall(r"[?&](\w+)=([^&>]+)", str(operation["responses"]))
            for parameter in operation.get("parameters", []):
                restrict(parameter["schema"], dict(links).get(parameter["name"]))
    for body in bodies.values():
        for schema in body["properties"].values():
            restrict(schema)


def restrict(schema, example=None):
    """Restricts a text to valid characters, or to its example if it has no maximum length."""
    if schema["type"] != "string":
        return
    if "maxLength" in schema:
        schema["pattern"] = r"^[^\x00-\x1F\x7F-\x9F\uFFFD]*\Z"
    else:
        schema["enum"] = [example]


def whole(_context, values):
    """Writes integers in a path or query as the API reads them: 7 instead of 7.0."""
    return values and {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in values.items()
    }


schemathesis.hook("map_path_parameters")(whole)
schemathesis.hook("map_query")(whole)
