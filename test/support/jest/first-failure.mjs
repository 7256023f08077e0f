/** A reporter of jest that prints the first test that fails, and ends the run there. */
export default class FirstFailure {
  onTestCaseResult(_, { status, fullName, failureMessages }) {
    if (status === 'failed') {
      end(fullName, ...failureMessages);
    }
  }

  onTestFileResult(_, { testExecError }) {
    // Loading, setting up or cleaning up failed.
    if (testExecError) {
      end(testExecError.message, testExecError.stack);
    }
  }
}

function end(...lines) {
  process.stdout.write(lines.join('\n').trim(), () => process.exit(1));
}
