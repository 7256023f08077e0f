import { type App, CfnElement, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Returns an error of `app.synth()` with stacks that lead to the code that made the constructs that
 * it is about. Its own leads to the call of `synth` in the file `caller` alone.
 */
export function withCreation(error: unknown, app: App, caller: string): unknown {
  if (!(error instanceof Error)) {
    return error;
  }
  const constructs = app.node.findAll();
  const invalid = constructs.filter((construct) => faultsOf(construct).length > 0);
  if (invalid.length > 0) {
    return new AggregateError(invalid.map(toError), error.message);
  }
  const unresolved = constructs.find((construct) => resolutionFault(construct) === plain(error));
  if (unresolved) {
    const [ours = ''] = (error.stack ?? '').split(new RegExp(`\\n[^\\n]*${RegExp.escape(caller)}`));
    error.stack = [ours, ...creationOf(unresolved)].join('\n');
    error.message = `${unresolved.node.path}: ${plain(error)}`;
  }
  return error;
}

/** Returns what a construct's validations find. One that throws has a stack of its own. */
function faultsOf({ node }: IConstruct): string[] {
  try {
    return node.validate();
  } catch {
    return [];
  }
}

function toError(construct: IConstruct): Error {
  const error = new Error(`${construct.node.path}: ${faultsOf(construct).join('; ')}`);
  error.stack = creationOf(construct).join('\n');
  return error;
}

/** Returns why a construct cannot be written into a template. */
function resolutionFault(construct: IConstruct): string | undefined {
  if (!(construct instanceof CfnElement)) {
    return undefined;
  }
  try {
    Stack.of(construct).resolve(construct._toCloudFormation());
    return undefined;
  } catch (error) {
    return plain(error as Error);
  }
}

/** CDK writes it once for each level of a template at which it passes. */
const plain = ({ message }: Error) => message.replaceAll('Resolution error: ', '');

/** Returns the stack of the creation of a construct, which CDK keeps for each resource. */
function creationOf({ node }: IConstruct): string[] {
  const elements = [...node.findAll(), ...node.scopes.toReversed()];
  const kept = elements
    .flatMap((element) => element.node.metadata)
    .find(({ type }) => type === 'aws:cdk:creationStack');
  return ((kept?.data as string[] | undefined) ?? []).map((frame) => `    at ${frame}`);
}
