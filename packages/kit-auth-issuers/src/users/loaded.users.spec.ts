import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LoginUser } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import { freezeDate, loginUser } from 'test-support';
import { FakeIssuer } from '../testing.js';
import { settingsOf } from '../issuer.js';
import type { TokenClaims, UserOfClaims } from '../issuer.js';
import { ComputedUsers, LinkedUsers } from './loaded.users.js';
import type { TokenUsers } from '../tokens/issuer.credential.js';

const TIMEOUT_MS = 100;
const ISS = 'https://login.example.com';
const fake = new FakeIssuer({ issuer: ISS, audience: 'api' });
const tokenOf = (sub: string): [TokenClaims, string] => [{ iss: ISS, sub }, fake.token({ sub })];
const settings = (cacheSeconds = 5) =>
  settingsOf({ issuer: ISS, audience: 'api', user: 'linked', cacheSeconds });

let pass: (milliseconds: number) => void;
let loads: number;
let answer: LoginUser | undefined;
const store = {
  idType: 'number',
  idFrom: (text: string) => (/^[1-9]\d*$/.test(text) ? Number(text) : undefined),
  loadLoginUser: async () => {
    loads++;
    return answer;
  },
} as unknown as ActiveUserStore;
beforeEach(() => {
  pass = freezeDate();
  [loads, answer] = [0, loginUser()];
});
afterEach(() => {
  jest.useRealTimers();
});

const linked = (cacheSeconds?: number): TokenUsers =>
  new LinkedUsers(settings(cacheSeconds), () => ({ userOf: async () => 7 }), store);
const computed = (find: () => unknown, cacheSeconds?: number): TokenUsers =>
  new ComputedUsers(settings(cacheSeconds), find as UserOfClaims, store, TIMEOUT_MS);

describe.each([
  ['linked', linked],
  ['found by a function', (cacheSeconds?: number) => computed(() => 7, cacheSeconds)],
])('users that are %s', (_name, make) => {
  it('are cached for some seconds', async () => {
    const users = make();
    const token = tokenOf('ada');
    const user = await users.userOf(...token);
    expect(users.userOf(...token)).toBe(user);
    pass(5000 - 1);
    expect(users.userOf(...token)).toBe(user);
    pass(1);
    answer = undefined;
    await expect(users.userOf(...token)).rejects.toMatchObject({ code: 40101, reason: 'unknown-user' });
    expect(loads).toBe(2);
  });

  it('are looked up each time with a cache of no seconds', async () => {
    const users = make(0);
    const token = tokenOf('ada');
    await users.userOf(...token);
    await users.userOf(...token);
    expect(loads).toBe(2);
  });

  it('are forgotten, also those of a look-up that runs', async () => {
    const users = make();
    const token = tokenOf('ada');
    await users.userOf(...token);
    users.forget?.();
    const looking = users.userOf(...token);
    users.forget?.();
    await looking;
    await users.userOf(...token);
    expect(loads).toBe(3);
  });
});

describe('users of a function', () => {
  it('are found by the claims of a token, and by those of its actor', async () => {
    const users = computed(((claims: TokenClaims) => loginUser({ username: claims.sub })) as () => unknown);
    const { username } = await users.userOf({ iss: ISS, sub: 'ada' }, 'x');
    const actor = await users.userOf({ iss: ISS, sub: 'eve' }, 'act x');
    expect([username, actor.username]).toEqual(['ada', 'eve']);
  });

  it('may be users, and are shared by requests at the same time', async () => {
    let calls = 0;
    const user = loginUser({ username: 'ada' });
    const users = computed(async () => (calls++, user));
    const token = tokenOf('ada');
    const found = await Promise.all(Array.from({ length: 100 }, async () => users.userOf(...token)));
    expect(found).toEqual(Array.from({ length: 100 }, () => user));
    expect(found[0]).not.toBe(user);
    // No result is older than its request.
    expect(calls).toBe(2);
  });

  it('are copied, because a request freezes its user, and they may be entities of the application', async () => {
    class Employee {
      readonly userId = 7;
      readonly nickname = 'Ada';
      readonly superAdmin = false;
      readonly roles = ['editor'];
      readonly permissions = ['note:read'];
      get username() {
        return 'ada';
      }
    }
    const employee = new Employee();
    const user = await computed(() => employee).userOf(...tokenOf('ada'));
    expect(user).toMatchObject({ username: 'ada', roles: ['editor'], permissions: ['note:read'] });
    expect(user.roles).not.toBe(employee.roles);
    expect(user.permissions).not.toBe(employee.permissions);
  });

  it('are asked for again after a look-up that hangs', async () => {
    let hangs = true;
    const users = computed(() => (hangs ? new Promise(() => undefined) : 7));
    const token = tokenOf('ada');
    await expect(users.userOf(...token)).rejects.toThrow('gave no answer in 100 ms');
    hangs = false;
    expect(await users.userOf(...token)).toEqual(answer);
  });

  it('may be nobody, and errors and ids of another type count as failures', async () => {
    const token = tokenOf('ada');
    for (const nobody of [undefined, null]) {
      await expect(computed(() => nobody).userOf(...token)).rejects.toMatchObject({ reason: 'unknown-user' });
    }
    for (const noId of [NaN, 1.5, -1, 0]) {
      await expect(computed(() => noId).userOf(...token)).rejects.toMatchObject({ reason: 'unknown-user' });
    }
    expect(loads).toBe(0);
    await expect(computed(() => 'ada').userOf(...token)).rejects.toThrow(
      'it returned a string, but ids of the user store are numbers',
    );
    const failing = () => {
      throw new Error('away');
    };
    await expect(computed(failing).userOf(...token)).rejects.toThrow('away');
  });
});
