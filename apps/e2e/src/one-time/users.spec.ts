import { describe, expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { OneTimeModule, OneTimeTokens } from 'kit-auth/store';
import { sharedTestApp } from 'test-support';
import { outcomeOf } from './app.js';
import { idOf, OwnUsers, OwnUsersModule } from '../users/own-users.js';

describe('one-time tokens of users with text ids', () => {
  const app = sharedTestApp({
    core: KitAuthModule.forRoot({ users: OwnUsersModule }),
    imports: [OneTimeModule],
  });
  const tokens = () => app.get(OneTimeTokens);
  const issue = (id: string, replaces = false) =>
    tokens().issue({ purpose: 'reset', userId: idOf(id), ttlSeconds: 60, replaces });

  it('belong to one user, whatever the case of the id', async () => {
    const users = app.get(OwnUsers);
    for (const id of ['usr_Ab', 'usr_aB', '7']) {
      users.insert({ id, name: `name of ${id}`, hash: 'x' });
    }
    const [one, other, seven] = [await issue('usr_Ab'), await issue('usr_aB'), await issue('7')];
    expect(await tokens().peek('reset', seven.token)).toMatchObject({ userId: '7' });
    const { token } = await issue('usr_Ab', true);
    expect(await outcomeOf(tokens().peek('reset', one.token))).toBe('40010');
    expect(await tokens().peek('reset', token)).toMatchObject({ userId: 'usr_Ab' });
    expect(await tokens().cancel({ userId: idOf('USR_AB') })).toBe(0);
    expect(await tokens().cancel({ userId: idOf('usr_Ab') })).toBe(1);
    expect(await tokens().peek('reset', other.token)).toMatchObject({ userId: 'usr_aB' });
    const { securityStamp: seenStamp = '' } = (await users.findByUsername('name of usr_aB')) ?? {};
    await users.changePassword(idOf('usr_aB'), { passwordHash: 'y', seenStamp });
    expect(await outcomeOf(tokens().peek('reset', other.token))).toBe('40010');
    expect(await outcomeOf(issue('nobody'))).toBe('40400');
  });
});
