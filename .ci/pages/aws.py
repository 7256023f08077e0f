"""Runs a command of a page like the AWS CLI, as far as the runbooks need it: one call, without
pages of results. Prints text or JSON.

    aws.py cloudformation describe-stacks --stack-name PlantStore --query ... --output text
"""

import json
import os
import sys

import jmespath
from aws_cli import SESSION, parse
from botocore import xform_name


def format_text(value):
    """Returns the lines of the AWS CLI's output as text."""
    if isinstance(value, list):
        if any(isinstance(item, list) for item in value):
            return '\n'.join(format_text(item) for item in value)
        return '\t'.join(format_text(item) for item in value)
    return 'None' if value is None else str(value)


call = parse(sys.argv[1:])
client = SESSION.create_client(
    call.service,
    region_name=os.environ['AWS_REGION'],
    endpoint_url=os.environ['AWS_ENDPOINT_URL'],
)
response = getattr(client, xform_name(call.model.name))(**call.params)
response.pop('ResponseMetadata')
result = jmespath.search(call.query, response) if call.query else response
print(format_text(result) if call.output == 'text' else json.dumps(result, default=str))
