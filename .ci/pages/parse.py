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
from aws_cli import Rejected, parse
from botocore.validate import ParamValidator

# The AWS CLI's own commands, which call no operation of the same name.
OWN_COMMANDS = {
    'login': set(),
    's3 cp': set(),
    'cloudformation deploy': {
        '--stack-name',
        '--template-file',
        '--capabilities',
        '--parameter-overrides',
    },
}


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
    # Fails if the query has an unknown function.
    jmespath.search(query, sample(shape))
    without_filters = re.sub(r'\[\?[^]]*\]', '[]', query)
    if has_nothing(jmespath.search(without_filters, sample(shape))):
        raise Rejected(f'the response has nothing for {query!r}')


def check(words):
    own = OWN_COMMANDS.get(words[1], OWN_COMMANDS.get(' '.join(words[1:3])))
    if own is not None:
        unknown = {word for word in words if word.startswith('--')} - own
        if unknown:
            raise Rejected(f'unknown options {unknown}')
        return
    call = parse(words[1:])
    if call.query:
        check_query(call.query, call.model.output_shape)
    if call.model.input_shape:
        report = ParamValidator().validate(call.params, call.model.input_shape)
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
