import { isNativeError } from 'node:util/types';
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  #isOver = false;

  constructor(config, context) {
    super(config, context);
    this.global.testTimeout = config.globalConfig.testTimeout;
    // Tests have an Error of their own. Node's errors are errors too, as the SDK expects.
    const { Error: TestError } = this.global;
    Object.defineProperty(TestError, Symbol.hasInstance, {
      value(value) {
        const isOrdinary = Function.prototype[Symbol.hasInstance].call(this, value);
        return isOrdinary || (this === TestError && isNativeError(value));
      },
    });
  }

  /**
   * Cleans up at the end. Skips the rest of a test file once a test of it hung: each of the others
   * may hang as long. Stryker needs one failure of a mutant only.
   */
  async handleTestEvent({ name, test }, { testTimeout }) {
    if (name === 'test_start' && this.#isOver) {
      test.mode = 'skip';
    }
    if (name === 'test_done' && test.errors.length > 0) {
      const hasHung = test.duration > 0.8 * testTimeout;
      this.#isOver ||= hasHung || process.env.__STRYKER_ACTIVE_MUTANT__ !== undefined;
    }
    if (name === 'run_finish') {
      await this.global.cleanUp?.();
    }
  }
}
