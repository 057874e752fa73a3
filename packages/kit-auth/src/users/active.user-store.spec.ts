import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { sharedTestApp } from 'test-support';
import type { NewUser, NewUsername } from '../contract/user-store.js';
import { TooBusyException } from '../errors/auth.exception.js';

@Module({
  providers: [
    { provide: AUTH_USER_STORE, useValue: { idType: 'string', loadLoginUser: async () => undefined } },
  ],
})
class TextIdsModule {}

describe('the id of a user from a text', () => {
  const numbers = sharedTestApp();
  const texts = sharedTestApp({ core: KitAuthModule.forRoot({ users: TextIdsModule }) });
  const idFrom = (app: typeof numbers, text: string) => app.get(ActiveUserStore).idFrom(text);

  it.each(['7', '9007199254740991'])('is a number: %j', (text) => {
    expect(idFrom(numbers, text)).toBe(Number(text));
  });

  it.each(['', '0', '-7', '7.5', '7e0', ' 7', '07', 'ada', '9007199254740992', '9'.repeat(30)])(
    'is no number: %j',
    (text) => {
      expect(idFrom(numbers, text)).toBeUndefined();
    },
  );

  it.each(['7', '07', 'usr_aB', 'a'.repeat(128)])('is a text: %j', (text) => {
    expect(idFrom(texts, text)).toBe(text);
  });

  it.each(['', 'a b', 'ä', 'a'.repeat(129)])('is no text: %j', (text) => {
    expect(idFrom(texts, text)).toBeUndefined();
  });
});

describe('a look-up that the user store refuses because the database is too slow', () => {
  const refusal = new TooBusyException(1);
  @Module({
    providers: [{ provide: AUTH_USER_STORE, useValue: { loadLoginUser: () => Promise.reject(refusal) } }],
  })
  class SlowModule {}
  const app = sharedTestApp({ core: KitAuthModule.forRoot({ users: SlowModule }) });

  it('is refused as it is, and is no error in the log', async () => {
    await expect(app.get(ActiveUserStore).loadLoginUser(1)).rejects.toBe(refusal);
    expect(app.logs.all()).not.toContain('failed');
  });
});

describe('a username that the store refuses to write', () => {
  const cause = new Error('unique index');
  const change = { transaction: undefined, note: async () => undefined };
  const update = { username: 'Ada', seenStamp: '' } as NewUsername;
  const account = { id: 7, username: 'ada', enabled: true, securityStamp: '' };
  const store = {
    findByUsername: async () => account,
    loadLoginUser: async () => undefined,
    createUser: () => Promise.reject(cause),
    changeUsername: () => Promise.reject(cause),
  };
  @Module({ providers: [{ provide: AUTH_USER_STORE, useValue: store }] })
  class RefusingModule {}
  const app = sharedTestApp({ core: KitAuthModule.forRoot({ users: RefusingModule }), database: false });

  it('is taken if another account has it', async () => {
    const taken = { code: 40900, cause };
    await expect(app.get(ActiveUserStore).changeUsername(8, update, change)).rejects.toMatchObject(taken);
    await expect(
      app.get(ActiveUserStore).createUser({ username: 'Ada' } as NewUser, change),
    ).rejects.toMatchObject(taken);
  });

  it('is not taken by the account itself', async () => {
    await expect(app.get(ActiveUserStore).changeUsername(7, update, change)).rejects.toBe(cause);
  });
});
