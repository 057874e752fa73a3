import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import { loginUser } from 'test-support';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import {
  clearRequestContext,
  hasRefusalHeaders,
  noteOptional,
  withRefusalHeaders,
  currentExchange,
  currentRequest,
  CurrentUser,
  fillRequestContext,
  isCurrentUser,
  keepFromSharedCaches,
  KitAuthContext,
  openRequestContext,
  RequestContextModule,
} from './kit-auth.context.js';
import { MessageContext } from './message-contexts.js';

class Response extends EventEmitter {
  readonly destroyed = false;
  readonly headers = new Map<string, string>();

  constructor(readonly headersSent = false) {
    super();
  }

  getHeader(name: string): string | undefined {
    return this.headers.get(name);
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
    expect([context.proof(), context.token()]).toEqual([undefined, undefined]);
    expect(() => context.getOrThrow()).toThrow('No token was sent, log in first');
    expect(() => fillRequestContext(principal)).toThrow('The request context was lost');
    expect(() => fillRequestContext(principal, {})).toThrow('The request context was lost');
    expect(() => keepFromSharedCaches()).not.toThrow();
    expect(context.snapshot()(() => context.get())).toBeUndefined();
  });

  it('has the principal and the client of a request until its response closes', () => {
    const response = new Response();
    inRequest(response, () => {
      expect(() => context.getOrThrow()).toThrow('this route needs no token');
      noteOptional(undefined, []);
      expect(() => context.getOrThrow()).toThrow('No token was sent, log in first');
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
      expect(context.client()).toMatchObject({ address: undefined, userAgent: undefined });
      expect(() => context.getOrThrow()).toThrow('No token was sent, log in first');
      response.headers.clear();
      keepFromSharedCaches();
      expect(response.headers.size).toBe(0);
      expect(run(() => context.get())).toBe(principal.user);
      expect(() => fillRequestContext(principal)).toThrow(
        expect.objectContaining({ code: AuthErrorCode.TOKEN_MISSING }),
      );
    });
  });

  it('has the client of a message in a snapshot', () => {
    const client = { address: '192.0.2.1', userAgent: 'x', hasLeft: () => false };
    const message = new MessageContext(principal, client, undefined);
    const run = message.run(() => context.snapshot());
    message.close();
    expect(run(() => [context.principal(), context.client()])).toEqual([principal, client]);
  });

  it('refuses to fill a request whose connection was reset', () => {
    inRequest(new Response(), () => expect(() => fillRequestContext(principal)).toThrow(AuthException), {
      localAddress: '192.0.2.9',
    });
  });

  it('refuses to fill the context of another request', () => {
    const [first, second] = [1, 2].map(() => ({ headers: {}, socket: {} }));
    openRequestContext(first!, new Response(), () => {
      expect(() => fillRequestContext(principal, second)).toThrow('The request context was lost');
      expect(() => noteOptional(second, [])).toThrow('The request context was lost');
      expect(context.get()).toBeUndefined();
      fillRequestContext(principal, first);
      expect(context.get()).toBe(principal.user);
      clearRequestContext();
      expect([context.get(), context.principal()]).toEqual([undefined, undefined]);
    });
  });

  it('has what the platform made of a request, and nothing in a job', () => {
    const [request, response] = [{ headers: {}, socket: {} }, new Response()];
    openRequestContext(request, response, () => expect(currentExchange()).toEqual({ request, response }));
    context.run(principal.user, () => expect(currentExchange()).toBeUndefined());
  });

  it('runs a job as a user, without a client', () => {
    context.run(principal.user, () => {
      expect(context.get()).toBe(principal.user);
      expect([context.client(), context.principal(), currentRequest()]).toEqual(Array(3).fill(undefined));
      fillRequestContext(principal);
      expect(context.principal()).toBe(principal);
    });
  });

  it('has the first of several user agents', () => {
    const headers = { 'user-agent': ['first', 'second'] };
    openRequestContext({ headers, socket: {} }, new Response(), () =>
      expect(context.client()?.userAgent).toBe('first'),
    );
  });

  it('gives the current user to parameters of handlers', () => {
    class Notes {
      list(@CurrentUser() user: unknown) {
        return user;
      }
    }
    const metadata = Reflect.getMetadata('__routeArguments__', Notes, 'list') as object;
    const [{ factory }] = Object.values(metadata) as [{ factory: () => unknown }];
    expect([isCurrentUser(factory), isCurrentUser(() => undefined)]).toEqual([true, false]);
    expect(factory()).toBeUndefined();
    inRequest(new Response(), () => {
      expect(factory()).toBeUndefined();
      fillRequestContext(principal);
      expect(factory()).toBe(principal.user);
    });
  });
});

describe('RequestContextModule', () => {
  /** Starts the module on a platform. */
  function started(type: string) {
    const server = new EventEmitter();
    const hooks: [name: string, hook: (request: object, reply: object, next: () => void) => void][] = [];
    const httpAdapter = {
      getHttpServer: () => server,
      getType: () => type,
      use: (middleware: () => void) => void hooks.push(['use', middleware]),
      getInstance: () => ({
        addHook: (name: string, hook: () => void) => void hooks.push([name, hook]),
      }),
    };
    new RequestContextModule({ httpAdapter } as unknown as HttpAdapterHost).configure();
    return { server, hooks };
  }

  it.each([
    ['express', 'use', () => new Response()],
    ['fastify', 'preHandler', () => ({ raw: new Response() })],
  ])('opens the context of a request on %s', (type, expected, makeResponse) => {
    const [[name, hook] = ['', () => undefined], ...others] = started(type).hooks;
    expect([name, others]).toEqual([expected, []]);
    let client: unknown;
    hook({ ip: '192.0.2.1', headers: {}, socket: {} }, makeResponse(), () => (client = context.client()));
    expect(client).toMatchObject({ address: '192.0.2.1' });
  });

  it('ends connections that were reset, whose sender is unknown', () => {
    const { server } = started('express');
    const isEnded = (event: string, socket: object) => {
      let ended = false;
      server.emit(event, { ...socket, destroy: () => (ended = true) });
      return ended;
    };
    for (const event of ['connection', 'secureConnection']) {
      expect(isEnded(event, { localAddress: '192.0.2.9' })).toBe(true);
      expect(isEnded(event, { localAddress: '192.0.2.9', remoteAddress: '192.0.2.1' })).toBe(false);
      expect(isEnded(event, {})).toBe(false); // a Unix socket
    }
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

  it.each<[string | string[] | undefined, string]>([
    [undefined, 'Authorization, Cookie'],
    ['Origin', 'Origin, Authorization, Cookie'],
    ['Origin , Cookie', 'Origin, Cookie, Authorization'],
    [['Origin', 'Accept'], 'Origin, Accept, Authorization, Cookie'],
  ])('name the headers of an optional token beside those that are there: %j', (present, expected) => {
    const [response, sent] = [new Response(), new Response(true)];
    if (present !== undefined) {
      response.headers.set('Vary', present as string);
    }
    [response, sent].forEach((one) =>
      inRequest(one, () => noteOptional(undefined, ['Authorization', 'Cookie'])),
    );
    expect(response.headers.get('Vary')).toBe(expected);
    expect(sent.headers.size).toBe(0);
  });

  it('are not needed in a job', () => {
    context.run(loginUser(), () => expect(() => noteOptional(undefined, ['Cookie'])).not.toThrow());
  });

  it('are those of a refusal', () => {
    const response = new Response();
    const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });
    inRequest(response, () => {
      expect([hasRefusalHeaders(refusal), withRefusalHeaders(refusal)]).toEqual([false, refusal]);
      expect([hasRefusalHeaders(refusal), hasRefusalHeaders(new Error('x'))]).toEqual([true, false]);
    });
    expect(Object.fromEntries(response.headers)).toEqual({ 'Cache-Control': 'no-store', 'Retry-After': '7' });
    expect(withRefusalHeaders(refusal)).toBe(refusal);
  });

  it('are set for one error at a time, until the response closes', () => {
    const response = new Response();
    const [first, second] = [
      new AuthException(AuthErrorCode.FORBIDDEN),
      new AuthException(AuthErrorCode.CONFLICT),
    ];
    const areSet = () => [first, second].map(hasRefusalHeaders);
    expect(areSet()).toEqual([false, false]);
    inRequest(response, () => {
      expect(areSet()).toEqual([false, false]);
      withRefusalHeaders(first);
      expect(areSet()).toEqual([true, false]);
      withRefusalHeaders(second);
      expect(areSet()).toEqual([false, true]);
      response.emit('close');
      expect(areSet()).toEqual([false, false]);
    });
  });
});
