import { setImmediate as nextTurn } from 'node:timers/promises';
import { TestEnvironment } from 'jest-environment-node';
import { run } from './run.mjs';

/** Runs the tests of a spec as often as the runner asks for it, instead of once. */
export default class MutationEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    this.global.__mutant = (id) => run.isReached(id);
    this.global.__loop = () => run.countIteration();
  }

  async handleTestEvent(event, { rootDescribeBlock: root }) {
    if (event.name === 'run_start') {
      const tests = testsOf(root);
      await run.examine?.(new Spec(root, tests));
      tests.forEach((test) => (test.mode = 'skip'));
    } else if (event.name === 'error') {
      unhandled = event.error;
    }
  }
}

let unhandled;

class Spec {
  /** In milliseconds, by test. */
  durations = new Map();

  constructor(root, tests) {
    this.root = root;
    this.tests = tests;
  }

  /**
   * Runs tests with their hooks until one fails.
   *
   * @param listen hears which tests are about to run
   * @returns what failed, and how
   */
  async run(tests, listen = () => undefined) {
    const chosen = new Set(tests);
    unhandled = undefined;
    const failure = await this.runBlock(this.root, chosen, listen);
    await nextTurn();
    return failure ?? (unhandled && { test: undefined, error: unhandled });
  }

  async runBlock(block, chosen, listen) {
    const tests = testsOf(block).filter((test) => chosen.has(test));
    if (tests.length === 0) {
      return undefined;
    }
    let failure;
    const attempt = async (test, fn, limit) => {
      try {
        await within(limit, fn);
      } catch (error) {
        failure ??= { test, error };
      }
    };
    const hooks = (type) => block.hooks.filter((hook) => hook.type === type);
    listen(tests);
    for (const { fn } of hooks('beforeAll')) {
      await attempt(tests[0], fn, 20_000);
    }
    for (const child of block.children) {
      if (failure === undefined && child.type === 'describeBlock') {
        failure = await this.runBlock(child, chosen, listen);
      } else if (failure === undefined && chosen.has(child)) {
        listen([child]);
        const began = Date.now();
        const limit = 3000 + 10 * (this.durations.get(child) ?? 3000);
        const { before, after } = eachHooks(child);
        for (const fn of [...before, child.fn]) {
          await (failure === undefined && attempt(child, fn, limit));
        }
        for (const fn of after) {
          await attempt(child, fn, limit);
        }
        if (run.active === undefined) {
          this.durations.set(child, Date.now() - began);
        }
      }
    }
    listen(tests);
    for (const { fn } of hooks('afterAll')) {
      await attempt(tests.at(-1), fn, 20_000);
    }
    return failure;
  }
}

function testsOf(block) {
  return block.children
    .flatMap((child) => (child.type === 'describeBlock' ? testsOf(child) : child))
    .filter(({ mode }) => mode !== 'skip' && mode !== 'todo');
}

function eachHooks(test) {
  const before = [];
  const after = [];
  for (let block = test.parent; block; block = block.parent) {
    before.unshift(...block.hooks.filter(({ type }) => type === 'beforeEach').map(({ fn }) => fn));
    after.push(...block.hooks.filter(({ type }) => type === 'afterEach').map(({ fn }) => fn));
  }
  return { before, after };
}

async function within(ms, fn) {
  let timer;
  const limit = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms);
  });
  try {
    await Promise.race([fn.call({}), limit]);
  } finally {
    clearTimeout(timer);
  }
}
