/** @own-context because `useContainer()` of class-validator is for the whole process */
import { describe, expect, it } from '@jest/globals';
import { Body, Controller, type INestApplication, Post, ValidationPipe } from '@nestjs/common';
import { useContainer, validate } from 'class-validator';
import { testApp } from 'test-support';
import { Public } from './index.js';
import { IsAllowedPassword, IsDisplayName, IsPermission, IsRoleCode } from './class-validator.js';

class NewMember {
  @IsDisplayName(10)
  name!: string;

  @IsAllowedPassword()
  password!: string;

  @IsPermission({ each: true })
  permissions!: string[];

  @IsRoleCode()
  role!: string;

  username?: string;
}

@Controller('members')
class MembersController {
  @Post()
  @Public()
  add(@Body() { name }: NewMember): string {
    return name;
  }
}

const ADA = { name: 'Ada', password: 'a right one 4711', permissions: ['note:*'], role: 'reader' };
const start = (configure: (app: INestApplication) => void) =>
  testApp({
    controllers: [MembersController],
    configure: (app) => {
      app.useGlobalPipes(new ValidationPipe({ transform: true }));
      configure(app);
    },
  });

describe('the rules of kit-auth in a DTO', () => {
  it('say what to do where the password rule does not find the application', async () => {
    await expect(validate(Object.assign(new NewMember(), ADA))).rejects.toThrow(
      'Call useContainer(app, { fallbackOnErrors: true }) of class-validator after NestFactory.create()',
    );
  });

  it('admit right values, and name what is wrong with others', async () => {
    const app = await start((nest) => useContainer(nest, { fallbackOnErrors: true }));
    const messages = async (more: object) => {
      const { status, json } = await app.request('/members', { method: 'POST', json: { ...ADA, ...more } });
      return status === 201 ? [] : (json.message as string[]).sort();
    };
    const name =
      'name must have 1 to 10 characters, without control characters, and without spaces at its beginning and end';
    const permission = 'each value in permissions must be a permission such as "note:read" or "note:*"';
    const role = 'role must be 1 to 64 letters, digits, ".", "_" or "-"';
    const password = 'password is not allowed: ';
    expect(await messages({})).toEqual([]);
    expect(await messages({ name: ' Ada', permissions: ['note read'], role: 'a b' })).toEqual([
      ...[permission, name, role],
    ]);
    expect(await messages({ name: 7, role: 7, password: 7 })).toEqual([
      ...[name, `${password}It must be a string`, role],
    ]);
    expect(await messages({ password: 'short' })).toEqual([
      `${password}The password needs at least 8 characters`,
    ]);
    expect(await messages({ username: 'right one' })).toEqual([
      `${password}The password must not contain the username`,
    ]);
    expect(await messages({ password: '4711471147' })).toEqual([]);
    expect(await messages({ password: 'password123' })).toEqual([`${password}The password is too common`]);
  });
});
