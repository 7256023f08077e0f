"""Writes integers in a path or query as the API reads them: 7 instead of 7.0."""

import schemathesis


def whole(_context, values):
    return values and {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in values.items()
    }


schemathesis.hook("map_path_parameters")(whole)
schemathesis.hook("map_query")(whole)
