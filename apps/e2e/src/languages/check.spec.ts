import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { builtApp, DECORATE, kitAuth } from 'test-support';

const MODULE = `
import { Module } from '@nestjs/common';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthLanguagesModule } from 'kit-auth-languages';
import { decorate } from './decorate.js';

class Store { async findByUsername() {} async loadLoginUser() {} async stampOf() {} }
class UsersModule {}
decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Store }] }));
export class AppModule {}
decorate(AppModule, Module({ imports: [KitAuthModule.forRoot({ users: UsersModule }), KitAuthJwtModule, KitAuthLanguagesModule] }));
`;

it('kit-auth languages check finds what lacks in a catalog, and what is wrong there', async () => {
  const cwd = builtApp({
    'dist/decorate.js': DECORATE,
    'dist/app.module.js': MODULE,
    'fr.json': '{}',
    'texts.json': '{ "42900": "Plus tard." }',
  });
  const check = (...args: string[]) => kitAuth(['languages', 'check', ...args], { cwd });
  const { code, stdout } = await check(join(cwd, 'fr.json'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('fr.json lacks 40110\n')]);
  const wrong = await check(join(cwd, 'texts.json'), '--language', 'fr', '--json');
  expect([wrong.code, JSON.parse(wrong.stdout)]).toEqual([
    1,
    expect.objectContaining({ language: 'fr', problems: ['"42900" lacks the placeholder {duration}'] }),
  ]);
  expect((await check()).code).toBe(2);
});
