import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { loginUser } from 'test-support';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import {
  withRefusalHeaders,
  currentRequest,
  fillRequestContext,
  keepFromSharedCaches,
  KitAuthContext,
  openRequestContext,
} from './kit-auth.context.js';

class Response extends EventEmitter {
  readonly destroyed = false;
  readonly headers = new Map<string, string>();

  constructor(readonly headersSent = false) {
    super();
  }

  hasHeader(name: string): boolean {
    return this.headers.has(name);
  }

  setHeader(name: string, value: string): void {
    this.headers.set(name, value);
  }
}

const context = new KitAuthContext();
const principal = { user: loginUser(), proof: { factors: { password: 1 } }, scheme: 'stub', token: 't' };
const inRequest = (response: Response, work: () => void, socket = {}) =>
  openRequestContext({ ip: '192.0.2.1', headers: { 'user-agent': 'x' }, socket }, response, work);

describe('KitAuthContext', () => {
  it('is empty outside of requests', () => {
    expect([context.get(), context.principal(), context.client(), currentRequest()]).toEqual(
      Array(4).fill(undefined),
    );
    expect(() => fillRequestContext(principal)).toThrow('The request context was lost');
  });

  it('has the principal and the client of a request until its response closes', () => {
    const response = new Response();
    inRequest(response, () => {
      expect(() => context.getOrThrow()).toThrow('this route needs no token');
      fillRequestContext(principal);
      const { run } = { run: context.snapshot() };
      const client = context.client();
      expect(context.getOrThrow()).toBe(principal.user);
      expect([context.proof(), context.token()]).toEqual([principal.proof, 't']);
      expect(client).toMatchObject({ address: '192.0.2.1', userAgent: 'x' });
      expect([client?.hasLeft(), currentRequest() === undefined]).toEqual([false, false]);
      response.emit('close');
      expect([client?.hasLeft(), currentRequest()]).toEqual([true, undefined]);
      expect([context.get(), context.principal()]).toEqual([undefined, undefined]);
      expect(run(() => context.get())).toBe(principal.user);
      expect(() => fillRequestContext(principal)).toThrow(
        expect.objectContaining({ code: AuthErrorCode.TOKEN_MISSING }),
      );
    });
  });

  it('refuses to fill a request whose connection was reset', () => {
    inRequest(new Response(), () => expect(() => fillRequestContext(principal)).toThrow(AuthException), {
      localAddress: '192.0.2.9',
    });
  });

  it('runs a job as a user, without a client', () => {
    context.run(principal.user, () => {
      expect(context.get()).toBe(principal.user);
      expect([context.client(), context.principal(), currentRequest()]).toEqual(Array(3).fill(undefined));
    });
  });
});

describe('the headers of the current answer', () => {
  it('keep it from shared caches, unless the application has set Cache-Control', () => {
    const [fresh, own, sent] = [new Response(), new Response(), new Response(true)];
    own.setHeader('Cache-Control', 'public, max-age=60');
    [fresh, own, sent].forEach((response) => inRequest(response, keepFromSharedCaches));
    expect(fresh.headers.get('Cache-Control')).toBe('private');
    expect(own.headers.get('Cache-Control')).toBe('public, max-age=60');
    expect(sent.headers.size).toBe(0);
  });

  it('are those of a refusal', () => {
    const response = new Response();
    const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });
    inRequest(response, () => expect(withRefusalHeaders(refusal)).toBe(refusal));
    expect(Object.fromEntries(response.headers)).toEqual({ 'Cache-Control': 'no-store', 'Retry-After': '7' });
    expect(withRefusalHeaders(refusal)).toBe(refusal);
  });
});
