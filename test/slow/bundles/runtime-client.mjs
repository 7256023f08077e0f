// Replaces the native module of aws-lambda-ric, Lambda's runtime client. Gives the client the event
// in the environment variable EVENT, and sends the client's result to the parent process.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: import.meta.url, format: 'module', shortCircuit: true }
      : next(specifier, context),
});

const report = (kind) => (_, body) =>
  process.send({ [kind]: JSON.parse(body) }, () => process.exit());

let isSent = false;

export const initializeClient = () => {};
export async function next() {
  // There is no second event. The client waits until this process exits.
  if (isSent) {
    await new Promise(() => {});
  }
  isSent = true;
  return {
    bodyJson: process.env.EVENT,
    headers: {
      'lambda-runtime-aws-request-id': 'request',
      'lambda-runtime-deadline-ms': `${Date.now() + 10_000}`,
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:1:function:Authorizer',
    },
  };
}
export const done = report('result');
export const error = report('error');
