import { beforeEach, afterEach, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import {
  AUTH_CREDENTIAL,
  AUTH_PROVIDER,
  AUTH_USER_STORE,
  type AuthCredential,
  KitAuthModule,
} from 'kit-auth';
import { handlerCall, loginUser, nodeResponse, sharedTestApp } from 'test-support';
import { KitAuthContext, openRequestContext } from '../context/kit-auth.context.js';
import { RequireToken } from '../routes/require.decorators.js';
import { AuthGuard } from './auth.guard.js';

const resolved: string[] = [];

/** Takes tokens from a header of its own. */
const credential = (scheme: string): Partial<AuthCredential> => ({
  scheme,
  read: ({ headers }) => headers[`x-${scheme}`] as string | undefined,
  resolve: (token) => {
    resolved.push(`${scheme}: ${token}`);
    return { user: loginUser(), proof: { factors: {} } };
  },
});

@Module({
  providers: [
    { provide: AUTH_CREDENTIAL, useValue: [credential('key'), credential('card')] },
    { provide: AUTH_USER_STORE, useValue: { loadLoginUser: async () => undefined } },
    {
      provide: AUTH_PROVIDER,
      useValue: {
        extensionName: 'stub',
        issueToken: async () => 'x',
        invalidate: async () => undefined,
        resolveToken: (token: string) => {
          resolved.push(token);
          return loginUser();
        },
      },
    },
  ],
})
class Ports {}

class NotesResolver {
  @RequireToken() notes() {}
}

describe('the tokens of a GraphQL operation', () => {
  const app = sharedTestApp({
    core: KitAuthModule.forRoot({ users: Ports }),
    provider: false,
    database: false,
  });
  let now = 0;
  const ask = (token: string, headers: object = {}): void => {
    const rawHeaders = token === '' ? [] : ['Authorization', `Bearer ${token}`];
    const req = { url: '/graphql', method: 'POST', headers, rawHeaders };
    const call = handlerCall(NotesResolver, 'notes', 'graphql', [{}, {}, { req }]);
    expect(app.get(AuthGuard).canActivate(call)).toBe(true);
  };
  const inRequest = (work: () => void) =>
    openRequestContext({ headers: {}, socket: {} }, nodeResponse(), work);

  beforeEach(() => {
    resolved.length = 0;
    now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('are looked up once a second for each request', () => {
    inRequest(() => {
      ask('a');
      now += 999;
      ask('a');
      expect(resolved).toEqual(['a']);
      now += 1;
      ask('a');
      expect(resolved).toEqual(['a', 'a']);
      ask('b');
      expect(resolved).toEqual(['a', 'a', 'b']);
    });
    inRequest(() => ask('b'));
    expect(resolved).toHaveLength(4);
  });

  it('are the same only if the same credential has found them', () => {
    inRequest(() => {
      ask('', { 'x-key': 'a' });
      ask('', { 'x-key': 'a' });
      ask('', { 'x-card': 'a' });
      ask('', { 'x-card': 'b' });
      ask('b');
      ask('', { 'x-card': 'b' });
    });
    expect(resolved).toEqual(['key: a', 'card: a', 'card: b', 'b', 'card: b']);
  });

  it('are looked up each time in jobs, which belong to no request', () => {
    app.get(KitAuthContext).run(loginUser(), () => {
      ask('a');
      ask('a');
    });
    expect(resolved).toEqual(['a', 'a']);
  });
});
