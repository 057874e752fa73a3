import { describe, expect, it } from '@jest/globals';
import type { LoginLimiterFactory } from 'kit-auth';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { freezeDate, moduleOf, sharedDatabase, testApp, type TestAppOptions } from 'test-support';
import { BoundedLimiter } from '../../../../packages/kit-auth/src/throttle/bounded.limiter.js';
import { cliOf } from './app.js';

const NEXT = 'another right one 4712';

/** An application that is running, and the command line of another process with the same database. */
async function both(options: TestAppOptions = {}) {
  const database = sharedDatabase('sqlite');
  const app = await testApp({ database, ...options });
  return { app, run: cliOf(await moduleOf({ database, ...options })) };
}

/** Counts that two applications of this process share, as Redis would. */
function sharedCounts(): LoginLimiterFactory {
  const limiters = new Map<string, BoundedLimiter>();
  return ({ keyPrefix, duration }) => {
    const limiter = limiters.get(keyPrefix) ?? new BoundedLimiter(duration, 100);
    limiters.set(keyPrefix, limiter);
    return limiter;
  };
}

describe('kit-auth user unlock', () => {
  it('lets a user in again', async () => {
    const { app, run } = await both({
      options: { login: { throttle: { failures: 1, limiter: sharedCounts() } } },
    });
    freezeDate(); // the lock lasts a second
    const { username } = await app.user();
    const [wrong, closed] = [await app.login(username, 'wrong'), await app.login(username)];
    expect([wrong.json.code, closed.json.code]).toEqual([40110, 42900]);
    const { code, stdout, stderr } = await run('user unlock', [username]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Unlocked ${username}, who was locked until 20.*Z\\.$`, 'm'));
    expect((await app.login(username)).status).toBe(200);
    expect((await run('user unlock', [username])).stdout).toBe(
      `${username} was not locked. The failed logins are cleared.\n`,
    );
  });

  it.each([
    ['each process counts by itself', {}, 'Use POST users/{id}/unlock of kit-auth-admin, restart'],
    ['there is no throttle', { throttle: false as const }, 'Nobody is locked: the login throttle is off'],
    [
      'the store of the counts fails',
      {
        throttle: {
          limiter: () => {
            const fail = () => Promise.reject(new Error('The client is closed'));
            return { get: fail, set: fail, penalty: fail, reward: fail, delete: fail };
          },
        },
      },
      'limiter fails: Error: The client is closed. Connect its client where it is created',
    ],
  ])('says that it cannot where %s', async (_what, login, message) => {
    const { app, run } = await both({ options: { login } });
    await app.user({ username: 'ada' });
    const { code, stdout, stderr } = await run('user unlock', ['ada']);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('kit-auth sessions', () => {
  it('says that sessions in memory cannot be reached', async () => {
    const { run } = await both({ session: { store: 'memory' } });
    for (const command of ['sessions list', 'sessions end --all']) {
      const { code, stderr } = await run(command, ['admin']);
      expect(code).toBe(1);
      expect(stderr).toContain('The sessions are in the memory of the running application');
    }
  });

  it('notes that a new password does not end sessions in memory', async () => {
    const { app, run } = await both({ session: { store: 'memory' } });
    const { username } = await app.user();
    const { code, stdout, stderr } = await run('user password', [username], NEXT);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Set a new password for ${username}.\n` });
    expect(stderr).toContain('Restart it to end them.');
  });

  it('ends stateless sessions, which it cannot list', async () => {
    const { app, run } = await both({ session: { mode: 'stateless', secret: 's'.repeat(32) } });
    const { username } = await app.user();
    const token = await app.tokenOf(username);
    for (const command of ['sessions list', 'sessions end']) {
      const { code, stderr } = await run(command, command === 'sessions end' ? [username, 'x'] : [username]);
      expect(code).toBe(1);
      expect(stderr).toContain('The implementation session-token does not know its sessions here.');
    }
    const { code, stdout } = await run('sessions end --all', [username]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Ended all sessions of ${username}.\n` });
    expect(await app.stateOf(token)).toBe('40101 kicked');
  });

  it('lists and ends logins with refresh tokens', async () => {
    const { app, run } = await both({ imports: [KitAuthRefreshModule] });
    const { username } = await app.user();
    const { json } = await app.login(username);
    const [{ id }] = JSON.parse((await run('sessions list --json', [username])).stdout) as [{ id: string }];
    expect(await run('sessions end', [username, id])).toMatchObject({ code: 0 });
    const refreshed = await app.call(undefined, 'POST', 'token/refresh', { refreshToken: json.refreshToken });
    expect(refreshed.json).toMatchObject({ code: 40101, reason: 'kicked' });
  });
});
