import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { PASSWORD_HASHER, type PasswordHasher } from 'kit-auth';
import { PASSWORD, testApp } from 'test-support';

/** Protects nothing. `recipes/scrypt.spec.ts` has one that does. */
class PlainHasher implements PasswordHasher {
  hash(password: string): Promise<string> {
    return password === 'out of memory'
      ? Promise.reject(new Error(password))
      : Promise.resolve(`plain ${password}`);
  }

  async verify(password: string, storedHash: string): Promise<boolean> {
    return storedHash === (await this.hash(password));
  }

  isOutdated(): boolean {
    return false;
  }

  async dummy(): Promise<void> {}
}

@Module({ providers: [{ provide: PASSWORD_HASHER, useClass: PlainHasher }] })
class HasherModule {}

it('the hasher of the application hashes new passwords, which may be longer than 72 bytes', async () => {
  const app = await testApp({ imports: [HasherModule] });
  const hashOf = async (id: number) =>
    (await app.users.findOneOrFail({ where: { id }, select: { id: true, passwordHash: true } })).passwordHash;
  expect(await hashOf((await app.users.findOneByOrFail({ username: 'admin' })).id)).toBe('plain admin');
  const { id, username } = await app.user({ passwordHash: `plain ${PASSWORD}` });
  const newPassword = 'a long one \u{1f680} '.repeat(10);
  const json = { currentPassword: PASSWORD, newPassword };
  expect((await app.call(await app.tokenOf(username), 'POST', 'password', json)).status).toBe(204);
  expect(await hashOf(id)).toBe(`plain ${newPassword}`);
  expect(await app.stateOf(await app.tokenOf(username, newPassword))).toBe('live');
  expect((await app.login(username, `${newPassword.slice(0, 72)}x`)).json.code).toBe(40110);
  expect((await app.login(username, 'out of memory')).json.code).toBe(50300);
});
