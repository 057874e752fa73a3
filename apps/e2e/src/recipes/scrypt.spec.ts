import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { PASSWORD, sharedTestApp } from 'test-support';
import { ScryptHasher, ScryptModule } from './scrypt.module.js';

const FORM = /^\$scrypt\$ln=15,r=8,p=3\$/;

describe('scrypt in place of bcrypt', () => {
  const app = sharedTestApp({
    imports: [ScryptModule],
    options: { extensionTimeoutMs: 30_000 }, // a busy machine takes long for three rounds of 32 MiB
  });
  const hashOf = async (id: number) =>
    (await app.users.findOneOrFail({ where: { id }, select: { id: true, passwordHash: true } })).passwordHash;

  it('verifies a bcrypt hash of earlier years, and renews it at login', async () => {
    const { id, username } = await app.user();
    const oldHash = await hashOf(id);
    expect(oldHash).toMatch(/^\$2b\$/);
    expect((await app.login(username, 'wrong')).json.code).toBe(40110);
    expect(await hashOf(id)).toBe(oldHash);
    const token = await app.tokenOf(username);
    const renewed = await hashOf(id);
    expect(renewed).toMatch(FORM);
    expect((await app.login(username, 'wrong')).json.code).toBe(40110);
    expect([new ScryptHasher().isOutdated(renewed!), await app.stateOf(token)]).toEqual([false, 'live']);
  });

  it('renews a scrypt hash with a lower cost', async () => {
    const salt = randomBytes(16);
    const key = scryptSync(PASSWORD, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
    const passwordHash = `$scrypt$ln=10,r=8,p=1$${salt.toString('base64url')}$${key.toString('base64url')}`;
    const { id, username } = await app.user({ passwordHash });
    await app.tokenOf(username);
    expect(await hashOf(id)).toMatch(FORM);
  });

  it('accepts the prefix $2y$ of other systems', async () => {
    const hash = (await bcrypt.hash(PASSWORD, 4)).replace('$2b', '$2y');
    expect(await new ScryptHasher().verify(PASSWORD, hash)).toBe(true);
  });

  it.each(['', '$scrypt$ln=15,r=8,p=3$short$short'])('refuses the hash %p', async (hash) => {
    expect(await new ScryptHasher().verify(PASSWORD, hash)).toBe(false);
  });
});
