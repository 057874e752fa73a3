import { beforeAll, describe, expect, it } from '@jest/globals';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { sharedTestApp } from 'test-support';

const BODY = { name: 'CI', abilities: ['note:read'] };

describe('the body of a new key', () => {
  const app = sharedTestApp({ imports: [KitAuthKeysModule] });
  let token: string;
  beforeAll(async () => {
    token = await app.adminToken();
  });
  const create = async (body: object) => (await app.call(token, 'POST', 'keys', body)).json;

  it('has a name, abilities and a lifetime', async () => {
    const made = await create({ ...BODY, abilities: ['note:*', 'note:*'], days: 365, more: 1 });
    expect([made.name, made.abilities]).toEqual(['CI', ['note:*']]);
    expect(Object.keys(made).sort()).toEqual(['abilities', 'createdAt', 'expiresAt', 'id', 'key', 'name']);
    expect(Date.parse(made.expiresAt as string) - Date.parse(made.createdAt as string)).toBe(
      365 * 86_400_000,
    );
  });

  it.each([
    ...['', '  ', ' CI', 'a\u0000b', 'x'.repeat(65), 7, null, ['CI'], undefined].map((name) => ({ name })),
    ...[[], 'note:read', null, [7], ['note:'], ['note:read '], {}, undefined].map((abilities) => ({
      abilities,
    })),
    { abilities: Array.from({ length: 51 }, (_, i) => `note:a${i}`) },
    ...[0, -1, 366, 1.5, '90', 1e9, [], true, null, 'never'].map((days) => ({ days })),
  ])('has nothing like %j', async (wrong) => {
    const [member] = Object.keys(wrong);
    const { code, message } = await create({ ...BODY, ...wrong });
    expect([code, message]).toEqual([40000, expect.stringContaining(`"${member}" must `)]);
  });
});
