import { describe, expect, it } from '@jest/globals';
import { LOGIN_STEP, type LoginStep } from 'kit-auth';
import { loginUser, testApp } from 'test-support';
import { FreshLoginChecker } from './fresh-login.checker.js';

const WORDS = ['any', 'full', 'second', 'second-or-recovery'] as const;
const now = Math.floor(Date.now() / 1000);
const login = { user: loginUser(), proof: { factors: { password: now } } };

/** What the check of a fresh login returns. */
async function checksWith(step: LoginStep): Promise<unknown[]> {
  const app = await testApp({ providers: [{ provide: LOGIN_STEP, useValue: step }] });
  const checker = app.get(FreshLoginChecker);
  return WORDS.map((factors) => checker.check(login, { kind: 'fresh', within: 600, factors }));
}

describe('the check of a fresh login', () => {
  it('is no promise where no step knows second factors', async () => {
    expect(await checksWith({ succeeded: async () => undefined })).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('asks for second factors where they decide, and waits for nothing else', async () => {
    const asked: string[] = [];
    const secondFactorsOf = async ({ username }: { username: string }) => {
      asked.push(username);
      return [];
    };
    const checks = await checksWith({ secondFactorsOf });
    expect(checks.map((it) => it instanceof Promise)).toEqual([false, true, true, true]);
    await Promise.all(checks);
    expect(asked).toHaveLength(3);
  });
});
