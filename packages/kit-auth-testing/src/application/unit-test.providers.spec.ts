import { describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Injectable, Post, UseGuards } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AuthManager, KitAuthContext, RequireRoles } from 'kit-auth';
import { kitAuthProviders, testUser, type UnitTestOptions } from '../index.js';

@Injectable()
class OwnNotesGuard {
  constructor(private readonly context: KitAuthContext) {}

  canActivate(): boolean {
    return this.context.get() !== undefined;
  }
}

@Controller('v1/notes')
@RequireRoles('editor')
@UseGuards(OwnNotesGuard)
class NotesController {
  constructor(
    readonly context: KitAuthContext,
    readonly auth: AuthManager,
  ) {}

  @Get() mine() {
    return `notes of ${this.context.getOrThrow().username}`;
  }

  @Post('login') logIn() {
    return this.auth.loginWithPassword('ada', 'a password');
  }
}

/** Creates a controller like the unit tests of an application. */
async function controllerWith(options?: UnitTestOptions): Promise<NotesController> {
  const providers = kitAuthProviders(options);
  return (await Test.createTestingModule({ controllers: [NotesController], providers }).compile()).get(
    NotesController,
  );
}

describe('kitAuthProviders', () => {
  it('give a controller the user, with a login', async () => {
    const notes = await controllerWith({ user: { username: 'ada', roles: ['editor'], data: { a: [1] } } });
    expect(notes.mine()).toBe('notes of ada');
    const { user, proof, token } = notes.context.principal()!;
    expect([user, proof.factors['password'], token]).toEqual([
      notes.context.get(),
      expect.any(Number),
      notes.context.token(),
    ]);
    expect([user, user.roles, user.permissions, user.data].every(Object.isFrozen)).toBe(true);
  });

  it('say how the user has logged in, if the test does', async () => {
    const proof = { factors: { passkey: 1 } };
    expect((await controllerWith({ user: {}, proof })).context.proof()).toBe(proof);
  });

  it('have no user unless the test gives one', async () => {
    const { context } = await controllerWith();
    expect([context.get(), context.principal(), context.proof()]).toEqual([undefined, undefined, undefined]);
    expect(() => context.getOrThrow()).toThrow(expect.objectContaining({ code: 40100 }));
  });

  it('have the user of run() inside of it, who has no login', async () => {
    const { context } = await controllerWith({ user: { username: 'ada' } });
    const bob = testUser({ username: 'bob' });
    const seen = context.run(bob, () => [context.get(), context.getOrThrow(), context.principal()]);
    expect(seen).toEqual([bob, bob, undefined]);
  });

  it('log the user in, and out', async () => {
    const { auth, context, ...notes } = await controllerWith({ user: { userId: 7, username: 'ada' } });
    const summary = { userId: 7, username: 'ada', nickname: 'ada', superAdmin: false };
    const token = expect.any(String);
    expect(notes).toEqual({});
    expect(await auth.login('ada', 'a password')).toEqual({ token, user: summary });
    expect(await auth.loginWithPassword('ada', 'a password')).toEqual({ token, user: summary });
    expect(await auth.loginAs(7, { factors: { sms: 1 } })).toEqual({ token, user: summary });
    expect(await auth.getLoginUser('a token')).toBe(context.get());
    await auth.logout();
  });

  it('say what to do where there is no user to log in', async () => {
    const { auth } = await controllerWith();
    await expect(auth.login('ada', 'a password')).rejects.toThrow(
      "AuthManager.login() has no user in this unit test. Pass one, kitAuthProviders({ user: { username: 'ada' } }), or " +
        'replace the method. For real logins, use KitAuthTestingModule.',
    );
    for (const attempt of [
      auth.loginWithPassword('a', 'b'),
      auth.loginAs(7, { factors: {} }),
      auth.getLoginUser('t'),
    ]) {
      await expect(attempt).rejects.toThrow('has no user in this unit test');
    }
  });

  it('can be spied on', async () => {
    const notes = await controllerWith({ user: {} });
    jest.spyOn(notes.auth, 'loginWithPassword').mockRejectedValue(new Error('refused'));
    await expect(notes.logIn()).rejects.toThrow('refused');
  });
});
