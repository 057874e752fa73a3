import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { kitAuth } from 'test-support';
import { Diagnosis } from './diagnosis.js';

describe('kit-auth doctor without an application', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'kit-auth-doctor-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  it('names each problem with its cure, and exits with 1', async () => {
    const { code, stdout, stderr } = await kitAuth(['doctor'], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain(`problem  versions: kit-auth is not installed in ${cwd}.`);
    expect(stdout).toContain('         -> npm install kit-auth');
  });
});

describe('a diagnosis', () => {
  it('has a problem if a check fails', async () => {
    const diagnosis = new Diagnosis();
    await diagnosis.check('tables', () => Promise.reject(new Error('read only file system')));
    await diagnosis.check('secret', () => []);
    expect(diagnosis.hasProblem).toBe(true);
  });

  it('has no problem if there are only warnings', async () => {
    const diagnosis = new Diagnosis();
    await diagnosis.check('throttle', () => [{ level: 'warning', problem: 'x', cure: 'y' }]);
    expect(diagnosis.hasProblem).toBe(false);
  });
});
