import JestRunner from 'jest-runner';
import { distance, imports, run } from './run.mjs';

/** Each of them loads Nest anew, and the modules stay in memory. */
const MAX_LOADS = 60;

/** Goes through the specs, and in each through the mutants that it reaches. */
export default class MutationRunner extends JestRunner {
  async runTests(tests, watcher) {
    let loads = 0;
    this.on('test-file-failure', ([, error]) => void (this.loadError = error));
    this.load = async (path, examine) => {
      if (++loads > MAX_LOADS) {
        process.exit(75); // The command starts another process, which continues.
      }
      this.loadError = undefined;
      run.examine = examine;
      await super.runTests(
        tests.filter((test) => test.path === path),
        watcher,
        { serial: true },
      );
      run.end();
      run.onReached = undefined;
    };
    const paths = tests.map(({ path }) => path).sort();
    // First by the specs of the own folder, then by those of the others.
    for (const pass of ['near', 'far']) {
      const isOfPass = (path) => (mutant) => distance(path, mutant) < 2 === (pass === 'near');
      for (const path of paths) {
        if (!run.done.has(`${pass} ${path}`) && run.open.some(isOfPass(path))) {
          run.record({ path, pass, ...(await this.kill(path, isOfPass(path))) });
        }
      }
    }
    await this.killAtLoad();
    run.open.forEach(({ id }) =>
      run.record({ id, outcome: run.reached.has(id) ? 'survived' : 'not reached' }),
    );
    // Jest would report what the mutants have thrown as failures of this run.
    process.exit(0);
  }

  /** Runs the tests of a spec with each mutant that they reach. @returns the numbers of these */
  async kill(path, isWanted) {
    const loaded = new Set();
    const passed = new Set();
    const covering = new Map();
    let wasFresh = false;
    let isDone = false;
    while (!isDone) {
      run.onReached = (id) => loaded.add(id);
      await this.load(path, async (spec) => {
        let current = [];
        covering.clear();
        run.onReached = (id) => current.forEach((test) => entry(covering, id).add(test));
        requirePassed(path, await spec.run(spec.tests, (about) => (current = about)));
        run.onReached = undefined;
        for (const { id } of run.open.filter((mutant) => isWanted(mutant) && covering.has(mutant.id))) {
          if (passed.has(id)) {
            continue;
          }
          const tests = [...covering.get(id)];
          run.begin(id);
          const failure = await spec.run(tests);
          run.end();
          if (failure === undefined) {
            passed.add(id);
          } else if (
            wasFresh ||
            (await spec.run(failure.test === undefined ? tests : [failure.test])) === undefined
          ) {
            run.record({ id, outcome: 'killed' });
          } else {
            wasFresh = true; // What the mutant has left behind fails too, or what one before it has.
            return;
          }
          wasFresh = false;
        }
        isDone = true;
      });
      requirePassed(path, this.loadError && { error: this.loadError });
    }
    return { loaded: [...loaded], reached: [...covering.keys()] };
  }

  /** Values that are read once, when a module is loaded. */
  async killAtLoad() {
    for (const mutant of run.open) {
      const paths = (run.loaders.get(mutant.id) ?? []).sort(
        (a, b) => distance(a, mutant) - distance(b, mutant),
      );
      const near = paths.filter((path) => distance(path, mutant) < 2 || imports(path, mutant));
      for (const path of near.length > 0 ? near : paths) {
        let failure;
        run.begin(mutant.id);
        await this.load(path, async (spec) => {
          failure = await spec.run(spec.tests);
        });
        if (failure !== undefined || this.loadError !== undefined) {
          run.record({ id: mutant.id, outcome: 'killed' });
          break;
        }
      }
      if (!run.outcomes.has(mutant.id) && paths.length > 0) {
        run.record({ id: mutant.id, outcome: 'survived' });
      }
    }
  }
}

function requirePassed(path, failure) {
  if (failure !== undefined) {
    console.error(`${path} fails without a mutant`, failure.error);
    process.exit(1);
  }
}

function entry(map, key) {
  return map.get(key) ?? map.set(key, new Set()).get(key);
}
