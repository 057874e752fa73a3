import JestRunner from 'jest-runner';
import { distance, run } from './run.mjs';

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
    for (const path of paths) {
      await this.measure(path);
    }
    // First by the specs of the own folder, then by those of the others.
    for (const isNear of [true, false]) {
      for (const path of paths) {
        await this.kill(path, isNear);
      }
    }
    await this.killAtLoad();
    run.open.forEach(({ id }) =>
      run.note(id, run.specs.has(id) || run.loaders.has(id) ? 'survived' : 'not reached'),
    );
  }

  /** Finds out which mutants a spec reaches. */
  async measure(path) {
    const reached = { load: new Set(), tests: new Set() };
    run.onReached = (id) => reached.load.add(id);
    await this.load(path, async (spec) => {
      run.onReached = (id) => reached.tests.add(id);
      requirePassed(path, await spec.run(spec.tests));
    });
    requirePassed(path, this.loadError && { error: this.loadError });
    reached.load.forEach((id) => entry(run.loaders, id).push(path));
    reached.tests.forEach((id) => entry(run.specs, id).push(path));
  }

  async kill(path, isNear) {
    const left = () =>
      run.open.filter(
        (mutant) =>
          run.specs.get(mutant.id)?.includes(path) &&
          distance(path, mutant) < 2 === isNear &&
          !passed.has(mutant.id),
      );
    const passed = new Set();
    let wasFresh = false;
    while (left().length > 0) {
      await this.load(path, async (spec) => {
        const covering = new Map();
        let current = [];
        run.onReached = (id) => current.forEach((test) => entry(covering, id, Set).add(test));
        requirePassed(path, await spec.run(spec.tests, (about) => (current = about)));
        run.onReached = undefined;
        for (const { id } of left()) {
          const tests = [...(covering.get(id) ?? [])];
          run.begin(id);
          const failure = await spec.run(tests);
          run.end();
          if (failure === undefined) {
            passed.add(id);
          } else if (
            wasFresh ||
            (await spec.run(failure.test === undefined ? tests : [failure.test])) === undefined
          ) {
            run.note(id, 'killed');
          } else {
            wasFresh = true; // What the mutant has left behind fails too, or what one before it has.
            return;
          }
          wasFresh = false;
        }
      });
    }
  }

  /** Values that are read once, when a module is loaded. */
  async killAtLoad() {
    for (const mutant of run.open) {
      const paths = (run.loaders.get(mutant.id) ?? []).sort(
        (a, b) => distance(a, mutant) - distance(b, mutant),
      );
      const near = paths.filter((path) => distance(path, mutant) < 2);
      for (const path of near.length > 0 ? near : paths.slice(0, 2)) {
        let failure;
        run.begin(mutant.id);
        await this.load(path, async (spec) => {
          failure = await spec.run(spec.tests);
        });
        if (failure !== undefined || this.loadError !== undefined) {
          run.note(mutant.id, 'killed');
          break;
        }
      }
      if (!run.outcomes.has(mutant.id) && paths.length > 0) {
        run.note(mutant.id, 'survived');
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

function entry(map, key, Type = Array) {
  return map.get(key) ?? map.set(key, new Type()).get(key);
}
