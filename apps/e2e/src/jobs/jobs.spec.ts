import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { CurrentUser, type LoginUser, RouteAccessReport } from 'kit-auth';
import { TokenResolver } from 'kit-auth/login';
import { AsCarriedUser } from 'kit-auth-jobs';
import { actingWithKey } from 'kit-auth-keys/testing';
import { BOTH, optionsFor, pairsOf, sharedTestApp, TOKENS } from 'test-support';
import { JobsApp } from './app.js';

@Controller('v1/mixed')
class Mixed {
  @Get()
  list(@CurrentUser() { username }: LoginUser) {
    return { username };
  }

  @MessagePattern('mixed')
  @AsCarriedUser('billing')
  answer() {}
}

describe.each(pairsOf(BOTH, TOKENS))('jobs on %s with %s', (platform, tokens) => {
  const app = sharedTestApp(new JobsApp({ ...optionsFor(tokens), platform }));

  it('run as the user of the request that has created them, also after the logout', async () => {
    await app.role({ code: 'reader', permissions: ['note:read'] });
    const { username, id } = await app.user({ roles: ['reader'] });
    const token = await app.tokenOf(username);
    const sent = await app.carry(token);
    expect(sent).toEqual({ month: 'May', kitAuth: expect.stringMatching(/^kapj_[\w-]+$/) });
    const { loginId } = (await app.get(TokenResolver).resolve(token)).proof;
    await app.call(token, 'POST', 'logout');
    expect(await app.resume(sent)).toEqual({
      ...{ username, roles: ['reader'], permissions: ['note:read'], scheme: 'carried', isSame: true },
      proof: { factors: {}, expiresAt: expect.any(Number), ...(loginId !== undefined && { loginId }) },
    });
    expect(app.heard('user-changed').at(-1)).toMatchObject({ actorId: id, actor: username });
  });
});

describe('jobs of an application', () => {
  const app = sharedTestApp(new JobsApp({ controllers: [Mixed] }));
  let username: string;
  let token: string;
  beforeAll(async () => {
    ({ username } = await app.user());
    token = await app.tokenOf(username);
  });

  it('cannot be created by API keys, or without a user, and carry no tokens of requests', async () => {
    const { key } = await actingWithKey(app.nest, username, []);
    expect(await app.carry(key)).toMatchObject({
      code: 40304,
      message: 'Only the user of a login can be carried to jobs and messages',
    });
    expect(await app.carry(undefined)).toMatchObject({ code: 40100 });
    const { kitAuth } = await app.carry(token);
    expect(await app.stateOf(String(kitAuth))).toBe('40101 audience');
  });

  it('leave routes as they are, also beside handlers of messages', async () => {
    expect((await app.request('/v1/mixed', { token })).json).toEqual({ username });
    expect(await app.codeOf(undefined, '/v1/mixed')).toBe(40100);
    const routes = app.get(RouteAccessReport).routes();
    expect(routes.flatMap(({ credentials = [] }) => credentials)).not.toContain('carried');
  });
});
