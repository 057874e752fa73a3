import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { Public, RequirePermissions } from 'kit-auth';
import type { AuthUser } from 'kit-auth/typeorm';
import { BOTH, freezeDate, optionsFor, pairsOf, sharedTestApp, sweepOf, TOKENS } from 'test-support';
import { codeOf, FactorsApp, STEP_MS } from './app.js';

@Controller('v1/notes')
class NotesController {
  @Get()
  list() {
    return [];
  }

  @Get('permission')
  @RequirePermissions('note:read')
  permission() {
    return [];
  }

  @Get('public')
  @Public()
  open() {
    return [];
  }
}

const PAIRS = pairsOf(BOTH, sweepOf(TOKENS, ['jwt', 'stateful sessions']));

describe.each(PAIRS)('requiredFor on %s with %s', (platform, tokens) => {
  const app = sharedTestApp(
    new FactorsApp({
      ...optionsFor(tokens),
      platform,
      factors: { requiredFor: ['clerk', 'nobody'] },
      controllers: [NotesController],
    }),
  );
  let pass: (milliseconds: number) => void;
  let clerk: AuthUser;
  let token: string;
  beforeAll(async () => {
    const included = await app.role({ code: 'clerk', permissions: ['note:read', 'auth:user:*'] });
    await app.role({ code: 'manager', includes: [included] });
  });
  beforeEach(async () => {
    pass = freezeDate();
    clerk = await app.user({ roles: ['clerk'] });
    token = await app.tokenOf(clerk);
  });

  it('lets holders of the role without a factor do nothing but add one', async () => {
    for (const path of ['/v1/notes', '/v1/notes/permission']) {
      const { status, json } = await app.request(path, { token });
      expect([path, status, json.code, json.error]).toEqual([path, 403, 40303, 'FACTOR_ENROLMENT_REQUIRED']);
    }
    for (const [method, path] of [
      ['POST', 'password'],
      ['GET', 'users'],
    ] as const) {
      expect([path, (await app.call(token, method, path, {})).json.code]).toEqual([path, 40303]);
    }
    expect(await app.codeOf(token, '/v1/notes/public')).toBe(200);
    expect(await app.codeOf(token)).toBe(200);
    expect((await app.call(token, 'GET', 'factors')).status).toBe(200);
    const enrolled = await app.enrol(token);
    expect(await app.codeOf(enrolled.token, '/v1/notes/permission')).toBe(200);
    pass(STEP_MS);
    const login = await app.answer(await app.challenge(clerk), codeOf(enrolled.device));
    expect(await app.codeOf(login.json.token, '/v1/notes')).toBe(200);
    expect((await app.call(login.json.token, 'POST', 'logout')).status).toBe(204);
  });

  it('counts included roles, and leaves everybody else alone', async () => {
    const manager = await app.tokenOf(await app.user({ roles: ['manager'] }));
    expect(await app.codeOf(manager, '/v1/notes')).toBe(40303);
    expect(await app.codeOf(await app.tokenOf(await app.user()), '/v1/notes')).toBe(200);
  });
});
