"""Checks the commands of the pages: those of the AWS CLI with the models of botocore, those of the
CDK CLI with its own help. Reads a JSON array from standard input, each command with its page and
its words. Prints an unknown service, operation or option, a missing one, a value of another type,
and a query for which the response has nothing.
"""

import json
import re
import subprocess
import sys
from functools import cache

import jmespath
from botocore import xform_name
from botocore.session import get_session
from botocore.validate import ParamValidator

SESSION = get_session()
# The AWS CLI's own commands, which call no operation of the same name.
OWN_COMMANDS = {
    'login': set(),
    's3 cp': set(),
    'cloudformation deploy': {
        'stack-name',
        'template-file',
        'capabilities',
        'parameter-overrides',
    },
}
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


class AnyKey(dict):
    """A map that has every key."""

    def __init__(self, value):
        super().__init__(key=value)
        self.value = value

    def get(self, _name, _default=None):
        return self.value


ANY_JSON = 'text'
for _ in range(8):
    ANY_JSON = AnyKey(ANY_JSON)


def sample(shape, depth=0):
    """Returns a response of a shape, in which each list has an item and each text is a text."""
    kind = shape.type_name
    if depth > 8:
        return 'deep'
    if kind == 'structure':
        members = {name: sample(member, depth + 1) for name, member in shape.members.items()}
        # The AWS CLI parses a template.
        return {**members, 'TemplateBody': ANY_JSON} if 'TemplateBody' in members else members
    if kind == 'list':
        return [sample(shape.member, depth + 1)]
    if kind == 'map':
        return AnyKey(sample(shape.value, depth + 1))
    return 'text'


def has_nothing(result):
    return result in (None, []) or isinstance(result, list) and any(map(has_nothing, result))


def check_query(query, shape):
    """Asks a query of a response that has everything, without its filters."""
    without_filters = re.sub(r'\[\?[^]]*\]', '[]', query)
    if has_nothing(jmespath.search(without_filters, sample(shape))):
        raise Rejected(f'the response has nothing for {query!r}')


def check(words):
    service, operation = (words[1:3] + [''])[:2]
    options = {}
    for word in words[1 if service in OWN_COMMANDS else 3 :]:
        if word.startswith('--'):
            options[word[2:]] = []
        elif options:
            options[list(options)[-1]].append(word)
    own = OWN_COMMANDS.get(service, OWN_COMMANDS.get(f'{service} {operation}'))
    if own is not None:
        if set(options) - own:
            raise Rejected(f'unknown options {set(options) - own}')
        return
    model = SESSION.get_service_model(service)
    names = {xform_name(name, '-'): name for name in model.operation_names}
    if operation not in names:
        raise Rejected(f'{service} has no {operation}')
    operation_model = model.operation_model(names[operation])
    options.pop('region', None)
    output = options.pop('output', ['text'])
    if output[0] not in OUTPUTS:
        raise Rejected(f'--output {output[0]}')
    query = options.pop('query', None)
    if query:
        check_query(query[0], operation_model.output_shape)
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
    if operation_model.input_shape:
        report = ParamValidator().validate(params, operation_model.input_shape)
        if report.has_errors():
            raise Rejected(report.generate_report())


@cache
def cdk_help(*command):
    return subprocess.run(
        ['npx', 'cdk', *command, '--help'], capture_output=True, text=True, check=True
    ).stdout


def check_cdk(words):
    command = words[2]
    if f'  cdk {command} ' not in cdk_help():
        raise Rejected(f'cdk has no {command}')
    options = [word.split('=')[0] for word in words if word.startswith('--')]
    known = re.findall(r'--[a-z-]+', cdk_help(command)) if options else []
    if set(options) - set(known):
        raise Rejected(f'cdk {command} has no {set(options) - set(known)}')


CHECKS = {'aws': check, 'npx': check_cdk}
failed = 0
commands = [each for each in json.load(sys.stdin) if each['words'][0] in CHECKS]
for each in commands:
    words = each['words']
    try:
        CHECKS[words[0]](words)
    except Exception as error:  # Each exception is a finding.
        failed += 1
        print(f"{each['page']}: {' '.join(words)}\n  {error}", file=sys.stderr)
print(f'{len(commands)} commands of the pages, {failed} wrong')
sys.exit(failed > 0 or len(commands) < 60)
