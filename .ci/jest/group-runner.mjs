import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatResultsErrors } from 'jest-message-util';
import TestRunner from 'jest-runner';
import { OWN_CONTEXT } from './spec-transformer.mjs';

/** How many spec files share a context at most. With 1, each file has its own. */
const GROUP_SIZE = Number(process.env['SPECS_OF_A_CONTEXT'] ?? 120);
/** So few files are not worth a second context. */
const FEW = 10;

/**
 * Runs several spec files in one context, so that Nest and TypeORM load once for all of them, and reports them one by
 * one. Jest by itself gives each file a context of its own, which takes about two seconds a file.
 */
export default class GroupRunner extends TestRunner {
  #groups = new Map();

  async runTests(tests, watcher, options) {
    const directory = mkdtempSync(join(tmpdir(), 'spec-groups-'));
    try {
      this.#groups = new Map(
        this.#groupsOf(tests.filter((test) => !hasOwnContext(test))).map((members, index) => {
          const path = join(directory, `${index}.mjs`);
          writeFileSync(path, groupFile(members.map((test) => test.path)));
          return [path, members];
        }),
      );
      const groups = [...this.#groups].map(([path, [{ context }]]) => ({ context, path }));
      await super.runTests([...tests.filter(hasOwnContext), ...groups], watcher, options);
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  on(event, listener) {
    const ofFiles = (forFile) =>
      super.on(event, async ([test, outcome]) => {
        for (const file of this.#groups.get(test.path) ?? [test]) {
          await listener([file, forFile(file, test, outcome)]);
        }
      });
    switch (event) {
      case 'test-file-start':
      case 'test-file-failure':
        return ofFiles((_file, _test, outcome) => outcome);
      case 'test-file-success':
        return ofFiles((file, test, outcome) => (file === test ? outcome : this.#resultOf(file, outcome)));
      default:
        return super.on(event, listener);
    }
  }

  /**
   * The tests by groups of one project each. Every worker gets the same number of groups. The tests come longest first, so
   * each group gets files of every length.
   */
  #groupsOf(tests) {
    const { maxWorkers } = this._globalConfig;
    const projects = [...new Set(tests.map(({ context }) => context))];
    return projects.flatMap((project) => {
      const ofProject = tests.filter(({ context }) => context === project);
      const { length } = ofProject;
      const unit = length < FEW ? 1 : maxWorkers;
      const count = Math.min(length, unit * Math.ceil(length / (unit * GROUP_SIZE)));
      return Array.from({ length: count }, (_, first) =>
        ofProject.filter((_, index) => index % count === first),
      );
    });
  }

  /** The part of the result of a group that belongs to one of its files. */
  #resultOf(test, group) {
    const { path, context } = test;
    const members = this.#groups.get(group.testFilePath);
    const isFirst = test === members[0];
    // Tests of other modules are those of the first file: none is left out.
    const fileOf = ({ ancestorTitles: [title] }) =>
      members.find((member) => member.path === title) ?? members[0];
    const testResults = group.testResults
      .filter((result) => fileOf(result) === test)
      .map((result) => ({
        ...result,
        ancestorTitles: result.ancestorTitles.filter((title) => title !== path),
        fullName: result.fullName.replace(`${path} `, ''),
      }));
    const count = (status) => testResults.filter((result) => result.status === status).length;
    const milliseconds = testResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
    return {
      ...group,
      // What the files print is not told apart.
      console: isFirst ? group.console : undefined,
      v8Coverage: isFirst ? group.v8Coverage : undefined,
      testFilePath: path,
      testResults,
      failureMessage:
        group.testExecError === undefined
          ? formatResultsErrors(testResults, context.config, this._globalConfig, path)
          : group.failureMessage,
      numFailingTests: count('failed'),
      numPassingTests: count('passed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      perfStats: {
        ...group.perfStats,
        end: group.perfStats.start + milliseconds,
        runtime: milliseconds,
        slow: false,
      },
    };
  }
}

/** A file whose imports fail does so alone. An error in a `describe()` fails the files after it as well. */
const groupFile = (paths) => `import { describe, it } from '@jest/globals';
for (const path of ${JSON.stringify(paths)}) {
  await import(path).catch((error) => describe(path, () => it('loads', () => { throw error; })));
}
`;

const hasOwnContext = ({ path }) => readFileSync(path, 'utf8').includes(OWN_CONTEXT);
