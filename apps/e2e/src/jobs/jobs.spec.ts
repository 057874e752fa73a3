import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  AUTH_PROVIDER,
  type AuthProvider,
  CurrentUser,
  KitAuthContext,
  type LoginUser,
  RouteAccessReport,
} from 'kit-auth';
import { ActiveUserStore, TokenResolver } from 'kit-auth/extend';
import { actingWithKey } from 'kit-auth-keys/testing';
import { BOTH, optionsFor, pairsOf, sharedTestApp, TOKENS } from 'test-support';
import { JobsApp } from './app.js';

describe.each(pairsOf(BOTH, TOKENS))('jobs on %s with %s', (platform, tokens) => {
  const app = sharedTestApp(new JobsApp({ ...optionsFor(tokens), platform }));
  let ada: { id: number; username: string };
  let token: string;
  beforeAll(() => app.role({ code: 'reader', permissions: ['note:read'] }));
  beforeEach(async () => {
    ada = await app.user({ roles: ['reader'] });
    token = await app.tokenOf(ada);
  });

  it('run as the user of the request that has created them', async () => {
    const sent = await app.carry(token);
    expect(sent).toEqual({ month: 'May', kitAuth: expect.stringMatching(/^kapj_[\w-]+$/) });
    const { loginId } = (await app.get(TokenResolver).resolve(token)).proof;
    expect(await app.resume(sent)).toEqual({
      username: ada.username,
      roles: ['reader'],
      permissions: ['note:read'],
      scheme: 'carried',
      proof: { factors: {}, expiresAt: expect.any(Number), ...(loginId !== undefined && { loginId }) },
      isSame: true,
    });
    expect(app.heard('user-changed').at(-1)).toMatchObject({ actorId: ada.id, actor: ada.username });
    expect(app.get(KitAuthContext).get()).toBeUndefined();
  });

  it('run after a logout, because a job is not interactive', async () => {
    const sent = await app.carry(token);
    await app.call(token, 'POST', 'logout');
    expect(await app.resume(sent)).toMatchObject({ username: ada.username });
  });
});

describe('jobs of an application', () => {
  @Controller('v1/mixed')
  class Mixed {
    @Get()
    list(@CurrentUser() { username }: LoginUser) {
      return { username };
    }

    @MessagePattern('mixed')
    answer() {}
  }
  const app = sharedTestApp(new JobsApp({ controllers: [Mixed] }));
  let ada: { id: number; username: string };
  let token: string;
  beforeAll(async () => {
    const reader = await app.role({ permissions: ['note:read'] });
    ada = await app.user({ roles: [reader] });
    token = await app.tokenOf(ada);
  });

  it('carry no tokens of requests', async () => {
    const { kitAuth } = await app.carry(token);
    expect(await app.stateOf(String(kitAuth))).toBe('40101 audience');
  });

  it('cannot be created by API keys, or without a user', async () => {
    const key = await actingWithKey(app.nest, ada.username, ['note:read']);
    expect(await app.carry(key.key)).toMatchObject({
      code: 40304,
      message: 'Only the user of a login can be carried to jobs and messages',
    });
    expect(await app.carry(undefined)).toMatchObject({ code: 40100 });
  });

  it('are carried from tokens that say who acts', async () => {
    const boss = await app.user();
    const actor = { userId: boss.id, username: boss.username };
    const user = (await app.get(ActiveUserStore).loadLoginUser(ada.id))!;
    const acting = await app.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, { factors: {}, actor });
    expect(await app.resume(await app.carry(acting))).toMatchObject({ proof: { actor } });
  });

  it('leave routes as they are, also beside handlers of messages', async () => {
    expect((await app.request('/v1/mixed', { token })).json).toEqual({ username: ada.username });
    expect(await app.codeOf(undefined, '/v1/mixed')).toBe(40100);
    const routes = app.get(RouteAccessReport).routes();
    expect(routes.flatMap(({ credentials = [] }) => credentials)).not.toContain('carried');
  });
});
