import { describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { AUTH_PROVIDER, IllegalStateException, RequirePermissions } from 'kit-auth';
import { AuthAudit } from 'kit-auth-admin';
import { DataSource } from 'typeorm';
import { EVERYWHERE, sharedDatabase, sharedTestApp, TestApp, testApp } from './index.js';

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequirePermissions('note:read')
  list() {
    return [];
  }
}

describe.each(EVERYWHERE)('a shared application on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, controllers: [NotesController] });

  it('has the users and roles that a test writes into its database', async () => {
    const reader = await app.role({ permissions: ['note:read'] });
    const token = await app.tokenOf(await app.user({ roles: [reader] }));
    const other = await app.tokenOf(
      await app.user({ password: 'another right one 4712' }),
      'another right one 4712',
    );
    expect([await app.codeOf(token, '/v1/notes'), await app.codeOf(other, '/v1/notes')]).toEqual([
      200, 40300,
    ]);
    expect((await app.call(token, 'GET', 'me')).json.nickname).toMatch(/^user-\d+$/);
  });

  it('accepts the tokens that its implementation issues', async () => {
    const { id, username } = await app.user();
    const token = await app.issueToken({ userId: id, username, permissions: ['note:read'] });
    expect(await app.stateOf(token)).toBe('live');
  });

  it('refuses roles that nobody made', async () => {
    await expect(app.user({ roles: ['nobody'] })).rejects.toThrow('nobody');
  });
});

describe('an application that a test starts', () => {
  let one: TestApp;

  it('has a database of its own', async () => {
    one = await testApp({ admin: true });
    const other = await testApp();
    await one.user();
    expect([await one.users.count(), await other.users.count()]).toEqual([2, 1]);
    expect(await one.rowsOf(AuthAudit).count()).toBe(0);
  });

  it('is closed after that test', async () => {
    expect([one.server.listening, one.get(DataSource).isInitialized]).toEqual([false, false]);
  });

  it('shares a database with another when it is told to', async () => {
    const database = sharedDatabase('sqlite');
    await database.recreate();
    const [first, second] = [await testApp({ database }), await testApp({ database })];
    await first.user();
    expect(await second.users.count()).toBe(2);
  });

  it('is closed when its start fails', async () => {
    const provider = { provide: AUTH_PROVIDER, useValue: {} };
    const app = new TestApp({ provider: false, providers: [provider] });
    await expect(app.start()).rejects.toThrow(IllegalStateException);
    expect(app.get(DataSource).isInitialized).toBe(false);
  });

  it('starts while `Math.random()` is replaced', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0);
    // Nest would take its names from one list of random numbers for several applications.
    for (let i = 0; i < 4; i++) {
      await testApp();
    }
    random.mockRestore();
  });

  it('can be had before it is initialised', async () => {
    const app = await new TestApp({ provider: false }).create();
    await expect(app.nest.init()).rejects.toThrow(IllegalStateException);
  });
});
