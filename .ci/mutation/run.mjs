// What the command, the runner and the environment of a run share: the mutants and what is known of them.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { mutate } from './mutants.mjs';

const { files, every, journal } = JSON.parse(process.env.MUTATION_RUN);

/** A loop of this length is endless. */
const MAX_ITERATIONS = 1_000_000;

class Run {
  /** By absolute path. */
  texts = new Map();
  /** By number. */
  mutants = new Map();
  /** What became of mutants, by number. */
  outcomes = new Map();
  /** The specs that read a mutant while they are loaded, by number. */
  loaders = new Map();
  /** The mutants that a test has reached. */
  reached = new Set();
  /** What need not be done again by a process that continues for another. */
  done = new Set();
  active = undefined;
  /** What is told of reached mutants. */
  onReached = undefined;
  iterations = 0;
  /** What the environment does with the tests of a spec. */
  examine = undefined;

  constructor() {
    let next = 1;
    for (const file of files) {
      const { text, mutants } = mutate(file, readFileSync(file, 'utf8'), next);
      this.texts.set(file, text);
      next += mutants.length;
      mutants.filter(({ id }) => id % every === 0).forEach((mutant) => this.mutants.set(mutant.id, mutant));
    }
    if (existsSync(journal)) {
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter(Boolean)
        .forEach((line) => this.apply(JSON.parse(line)));
    }
  }

  /** Those that no test has noticed yet. */
  get open() {
    return [...this.mutants.values()].filter(({ id }) => !this.outcomes.has(id));
  }

  isReached(id) {
    this.onReached?.(id);
    return id === this.active;
  }

  countIteration() {
    if (this.active !== undefined && ++this.iterations > MAX_ITERATIONS) {
      throw new Error('an endless loop');
    }
  }

  /** Keeps a result. */
  record(entry) {
    this.apply(entry);
    appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  }

  apply({ id, outcome, path, pass, loaded = [], reached = [] }) {
    if (outcome !== undefined) {
      this.outcomes.set(id, outcome);
    } else {
      this.done.add(`${pass} ${path}`);
      loaded.forEach((one) => this.loaders.set(one, [...new Set([...(this.loaders.get(one) ?? []), path])]));
      reached.forEach((one) => this.reached.add(one));
    }
  }

  /** If the process hangs, the command knows with which mutant. */
  begin(id) {
    this.active = id;
    this.iterations = 0;
    appendFileSync(`${journal}.current`, `${id}\n`);
  }

  end() {
    this.active = undefined;
    appendFileSync(`${journal}.current`, '0\n');
  }
}

export const run = new Run();

/** Specs in the folder of a mutant come first, and among them the one that is named like its file. */
export function distance(spec, { file }) {
  const base = file.replace(/\.ts$/, '');
  return spec === `${base}.spec.ts` ? 0 : dirname(spec) === dirname(file) ? 1 : 2;
}

const sources = new Map();

/** Whether a spec imports the file of a mutant itself. */
export function imports(spec, { file }) {
  if (!sources.has(spec)) {
    sources.set(spec, readFileSync(spec, 'utf8'));
  }
  return sources.get(spec).includes(`/${basename(file, '.ts')}.js'`);
}
