"""Reads a command as the AWS CLI does, with the models of botocore."""

import json
import re
from dataclasses import dataclass

from botocore import xform_name
from botocore.model import OperationModel
from botocore.session import get_session

SESSION = get_session()
OUTPUTS = {'json', 'table', 'text'}


class Rejected(Exception):
    pass


def parse_shorthand(text):
    """Returns the value of `a=b,c={d=e},f=[g,h]`, the AWS CLI's own notation."""
    position = 0

    def skip(mark):
        nonlocal position
        if text[position : position + 1] != mark:
            raise Rejected(f'{mark} is missing in {text!r} at {position}')
        position += 1

    def scalar():
        nonlocal position
        end = re.compile(r'[,\]}]|$').search(text, position).start()
        position, value = end, text[position:end]
        return value

    def value():
        if text.startswith('{', position):
            skip('{')
            members = mapping()
            skip('}')
            return members
        if text.startswith('[', position):
            skip('[')
            items = [value()]
            while text.startswith(',', position):
                skip(',')
                items.append(value())
            skip(']')
            return items
        return scalar()

    def mapping():
        nonlocal position
        members = {}
        while True:
            name = re.compile(r'\s*([A-Za-z]+)=').match(text, position)
            if not name:
                raise Rejected(f'{text!r} needs NAME= at {position}')
            position = name.end()
            members[name[1]] = value()
            if not text.startswith(',', position):
                return members
            skip(',')

    members = mapping()
    if position != len(text):
        raise Rejected(f'{text!r} ends too late')
    return members


def convert(shape, value):
    """Returns a text as the type that the model has."""
    kind = shape.type_name
    if kind == 'structure':
        if not isinstance(value, dict):
            return value
        return {
            name: convert(shape.members[name], member) if name in shape.members else member
            for name, member in value.items()
        }
    if kind == 'map' and isinstance(value, dict):
        return {name: convert(shape.value, member) for name, member in value.items()}
    if kind == 'list':
        items = value if isinstance(value, list) else [value]
        return [convert(shape.member, item) for item in items]
    if kind in ('integer', 'long'):
        return int(value)
    if kind in ('double', 'float'):
        return float(value)
    if kind == 'boolean':
        return {'true': True, 'false': False}[value]
    if kind == 'timestamp':
        # The pages have a pattern like YYYY-MM-DD.
        return '2026-01-01T00:00:00Z'
    if kind == 'string' and shape.enum and value not in shape.enum:
        raise Rejected(f'{value!r} is none of {shape.enum}')
    return value


def parse_value(shape, words):
    if shape.type_name == 'string':
        if len(words) != 1:
            raise Rejected(f'{words} should be one text')
        return convert(shape, words[0])
    if words[0][:1] in '{[':
        return convert(shape, json.loads(words[0]))
    member = shape.member if shape.type_name == 'list' else shape
    if member.type_name == 'structure' or member.type_name == 'map':
        values = [parse_shorthand(word) for word in words]
        return convert(shape, values if shape.type_name == 'list' else values[0])
    return convert(shape, words if shape.type_name == 'list' else words[0])


@dataclass
class Call:
    service: str
    model: OperationModel
    params: dict
    query: str | None
    output: str


def parse(words):
    """Returns the call of a command's words, without the first, which is `aws`."""
    service, operation = words[:2]
    options = {}
    for word in words[2:]:
        if word.startswith('--'):
            options[word[2:]] = []
        elif options:
            options[list(options)[-1]].append(word)
    model = SESSION.get_service_model(service)
    names = {xform_name(name, '-'): name for name in model.operation_names}
    if operation not in names:
        raise Rejected(f'{service} has no {operation}')
    operation_model = model.operation_model(names[operation])
    options.pop('region', None)
    [output] = options.pop('output', ['json'])
    if output not in OUTPUTS:
        raise Rejected(f'--output {output}')
    [query] = options.pop('query', [None])
    members = operation_model.input_shape.members if operation_model.input_shape else {}
    by_option = {xform_name(name, '-'): name for name in members}
    params = {}
    for option, values in options.items():
        positive = option.removeprefix('no-')
        if not values and members.get(by_option.get(positive), None) is not None:
            if members[by_option[positive]].type_name != 'boolean':
                raise Rejected(f'--{option} needs a value')
            params[by_option[positive]] = positive == option
        elif option not in by_option:
            raise Rejected(f'{service} {operation} has no --{option}')
        else:
            # A value that a command printed can be anything.
            shape = members[by_option[option]]
            if shape.type_name != 'string' and values[0].startswith('OUTPUT-OF-'):
                params[by_option[option]] = {} if shape.type_name == 'map' else values
            else:
                params[by_option[option]] = parse_value(shape, values)
    return Call(service, operation_model, params, query, output)
