import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AuthManager, PASSWORD_HASHER, type PasswordHasher } from 'kit-auth';
import { EVERYWHERE, PASSWORD, sharedTestApp, sweepOf, testApp } from 'test-support';

/** Cheap, because it protects nothing. */
const derive = (password: string, salt: Buffer) => scryptSync(password, salt, 32, { N: 16 });
const FORM = /^\$scrypt\$([\w-]{22})\$([\w-]{43})$/;

/** Hashes with scrypt, and verifies the bcrypt hashes of earlier years. */
class ScryptHasher implements PasswordHasher {
  readonly seen: string[] = [];

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    return `$scrypt$${salt.toString('base64url')}$${derive(password, salt).toString('base64url')}`;
  }

  async verify(password: string, storedHash: string): Promise<boolean> {
    this.seen.push('verify');
    if (storedHash.startsWith('$2')) {
      return bcrypt.compare(password, storedHash);
    }
    const [, salt, digest] = FORM.exec(storedHash) ?? [];
    if (salt === undefined || digest === undefined) {
      await this.dummy(password);
      return false;
    }
    const derived = derive(password, Buffer.from(salt, 'base64url'));
    return timingSafeEqual(derived, Buffer.from(digest, 'base64url'));
  }

  isOutdated(storedHash: string): boolean {
    return !FORM.test(storedHash);
  }

  async dummy(password: string): Promise<void> {
    this.seen.push('dummy');
    derive(password, Buffer.alloc(16));
  }
}

function moduleWith(hasher: object) {
  class HasherModule {}
  Module({ providers: [{ provide: PASSWORD_HASHER, useValue: hasher }] })(HasherModule);
  return HasherModule;
}

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(-1)))(
  'scrypt in place of bcrypt on $platform with $provider',
  (where) => {
    const hasher = new ScryptHasher();
    const app = sharedTestApp({ ...where, imports: [moduleWith(hasher)] });
    const hashOf = async (id: number) =>
      (await app.users.findOneOrFail({ where: { id }, select: { id: true, passwordHash: true } }))
        .passwordHash;

    it('hashes the password of the default administrator', async () => {
      const { id } = await app.users.findOneByOrFail({ username: 'admin' });
      expect(await hashOf(id)).toMatch(FORM);
      expect(await app.stateOf(await app.adminToken())).toBe('live');
    });

    it('renews an old hash at login, and leaves a new one as it is', async () => {
      const { id, username } = await app.user();
      expect(await hashOf(id)).toMatch(/^\$2b\$/);
      expect((await app.login(username, 'wrong')).json.code).toBe(40110);
      expect(await hashOf(id)).toMatch(/^\$2b\$/);
      const first = await app.tokenOf(username);
      const renewed = await hashOf(id);
      expect(renewed).toMatch(FORM);
      await app.tokenOf(username);
      expect([await hashOf(id), await app.stateOf(first)]).toEqual([renewed, 'live']);
      expect((await app.login(username, 'wrong')).json.code).toBe(40110);
    });

    it('hashes new passwords, which may be longer than 72 bytes', async () => {
      const { id, username } = await app.user();
      const newPassword = 'a long one \u{1f680} '.repeat(10);
      const json = { currentPassword: PASSWORD, newPassword };
      const answer = await app.call(await app.tokenOf(username), 'POST', 'password', json);
      expect([answer.status, await hashOf(id)]).toEqual([204, expect.stringMatching(FORM)]);
      expect(await app.stateOf(await app.tokenOf(username, newPassword))).toBe('live');
      expect((await app.login(username, `${newPassword.slice(0, 72)}x`)).json.code).toBe(40110);
    });

    it('takes the time of a hash for a user that does not exist', async () => {
      hasher.seen.length = 0;
      expect((await app.login('nobody', 'wrong')).json.code).toBe(40110);
      expect(hasher.seen).toEqual(['dummy']);
    });

    it('refuses a hash of a form that nobody knows', async () => {
      const { username } = await app.user({ passwordHash: '{plain}secret' });
      expect((await app.login(username, 'secret')).json.code).toBe(40110);
    });
  },
);

describe('a password hasher', () => {
  it('that fails is answered with 50300, and lets nobody in', async () => {
    const hasher = new ScryptHasher();
    const app = await testApp({ imports: [moduleWith(hasher)] });
    hasher.verify = () => Promise.reject(new Error('out of memory'));
    expect((await app.login('admin', 'admin')).json.code).toBe(50300);
    await expect(app.get(AuthManager).login('admin', 'admin')).rejects.toMatchObject({ code: 50300 });
  });
});
