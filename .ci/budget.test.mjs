// Shows that each limit of budget.mjs can fail, and what counts as code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeLines } from './budget/code-lines.mjs';
import { LIMITS, problemsOf } from './budget.mjs';

const within = () => ({
  kernel: { guard: { lines: LIMITS.kernelLines - 1 }, login: { lines: 1 } },
  journeys: Object.fromEntries(Object.entries(LIMITS.files).map(([name, files]) => [name, { files }])),
});

test('everything at its limit passes', () => {
  assert.deepEqual(problemsOf(within()), []);
});

test('one line more in the kernel fails', () => {
  const measured = within();
  measured.kernel.login.lines++;
  assert.match(problemsOf(measured).join(), /^the kernel has \d+ lines of code, more than \d+$/);
});

for (const name of Object.keys(LIMITS.files)) {
  test(`one file more in the journey "${name}" fails, and so does its absence`, () => {
    const measured = within();
    measured.journeys[name].files++;
    assert.match(problemsOf(measured).join(), new RegExp(`^the journey "${name}" enters`));
    delete measured.journeys[name];
    assert.match(problemsOf(measured).join(), /^nothing was traced/);
  });
}

test('comments, blanks and imports are no code', () => {
  const text = `import {
    a,
  } from 'a';
  import type { B } from 'b';

  // a comment
  /**
   * Another one.
   */
  export const c = a(\`two
  lines\`); // and one behind code
  class D {} /* one */ /* more */
  `;
  assert.equal(codeLines(text), 3);
});
