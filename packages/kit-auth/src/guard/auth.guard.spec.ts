import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { handlerCall, loginUser, nodeResponse, published, routeRulesOf } from 'test-support';
import { fillRequestContext, KitAuthContext, openRequestContext } from '../context/kit-auth.context.js';
import type { KitAuthSettings } from '../contract/settings.js';
import { ActiveErrorTexts } from '../refusals/active.error-texts.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import type { RequestExchanges } from '../ports/request.exchanges.js';
import type { TokenResolver } from '../ports/token.resolver.js';
import { Public, RequireFresh, RequireRoles } from '../routes/require.decorators.js';
import type { RouteRules } from '../routes/route-rules.js';
import { MessageContexts } from '../context/message-contexts.js';
import { AccessChecker } from './access.checker.js';
import { AuthGuard } from './auth.guard.js';
import { MessageAdmission, messageErrorOf, messageExceptions } from './message.admission.js';
import { TokenReader } from './token.reader.js';

class Gateway {
  free() {}

  @RequireRoles('editor') closed() {}
  @RequireFresh() fresh() {}
  @Public() open() {}
}

@RequireRoles('editor')
class ClosedGateway extends Gateway {}

const settings = {
  enabled: true,
  protect: ['/v1/**'],
  whiteList: [],
  optional: [],
  tokenHeader: 'Authorization',
  tokenPrefix: 'Bearer ',
} as unknown as KitAuthSettings;
const rules = routeRulesOf(settings);
const admission = new MessageAdmission(
  { messages: new Map() } as unknown as Ports,
  rules,
  undefined as never,
  new MessageContexts(),
  new ActiveErrorTexts(settings, {} as Ports),
);
const guard = new AuthGuard(
  settings,
  rules,
  new TokenReader(settings, { credentials: [] as readonly object[] } as Ports),
  {} as Ports,
  ...([undefined, undefined] as unknown as [never, never]),
  admission,
  undefined as never,
);

beforeEach(() => {
  messageExceptions.clear(); // applications with gateways have left theirs
});

describe.each(['ws', 'rpc'])('a message of type %s', (type) => {
  const ask = (gateway: typeof Gateway, handler: keyof Gateway) =>
    guard.canActivate(handlerCall(gateway, handler, type));

  it('passes, unless its handler asks for roles or a fresh login, which a message cannot have', () => {
    expect(ask(Gateway, 'free')).toBe(true);
    expect(() => ask(Gateway, 'closed')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask(Gateway, 'fresh')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask(ClosedGateway, 'free')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(ask(ClosedGateway, 'open')).toBe(true);
  });
});

describe('the decision about a message', () => {
  const ask = (type: string, handler: keyof Gateway) =>
    guard.canActivate(handlerCall(Gateway, handler, type));
  class WsException extends Error {
    constructor(readonly body: string | object) {
      super('refused');
    }
  }

  beforeEach(() => {
    messageExceptions.set('ws', WsException);
    messageExceptions.set('rpc', WsException);
  });
  afterEach(() => {
    messageExceptions.clear();
  });

  it('is published', async () => {
    const decisions = await published('kit-auth:decision', () => {
      expect([ask('ws', 'free'), ask('rpc', 'open')]).toEqual([true, true]);
      expect(() => ask('rpc', 'closed')).toThrow();
    });
    expect(decisions).toEqual([
      { via: 'ws', outcome: 'open', reason: 'message' },
      { via: 'rpc', outcome: 'open', reason: 'public' },
      { via: 'rpc', outcome: 'refused', code: 40100 },
    ]);
  });

  it('has the body of a refusal for gateways, which ask no filter of the application', () => {
    expect(() => ask('ws', 'closed')).toThrow(expect.objectContaining({ body: expect.anything() }));
    expect(() => ask('rpc', 'closed')).toThrow(AuthException);
  });
});

describe('a call without a request', () => {
  // As libraries make with ExternalContextCreator, whose contexts are of type http unless they say otherwise.
  const ask = (handler: keyof Gateway) => guard.canActivate(handlerCall(Gateway, handler));

  it('passes to public handlers only', () => {
    expect(ask('open')).toBe(true);
    expect(() => ask('free')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask('closed')).toThrow(expect.objectContaining({ code: 40100 }));
  });

  it('of GraphQL has no token either', () => {
    expect(() => guard.canActivate(handlerCall(Gateway, 'closed', 'graphql'))).toThrow(
      expect.objectContaining({ code: 40100 }),
    );
  });
});

describe('a request', () => {
  /** What happened, in order. */
  let log: string[] = [];
  const user = loginUser();
  const proof = { factors: {} };
  const note = (line: string) => void log.push(line);

  /** A guard whose route has this rule, and whose tokens resolve to this principal. */
  function guardOf(
    rule: object,
    principal: object = {},
    parts: { ports?: object; check?: () => unknown; resolution?: unknown } = {},
  ) {
    const resolved = { user, proof, scheme: 'stub', token: 't', credential: undefined, ...principal };
    return new AuthGuard(
      settings,
      { ruleFor: () => ({ decision: 'token', requirements: [], ...rule }) } as unknown as RouteRules,
      new TokenReader(settings, { credentials: [] as readonly object[], ...parts.ports } as Ports),
      (parts.ports ?? {}) as Ports,
      {
        attempt: (token: string) => (note(`resolve ${token}`), parts.resolution ?? resolved),
      } as unknown as TokenResolver,
      Object.assign(Object.create(AccessChecker.prototype) as AccessChecker, {
        checkPasswordChange: () => note('password change'),
        checkEnrolment: () => note('enrolment'),
        check: parts.check ?? (() => (note('requirements'), true)),
      }),
      admission,
      { of: () => ({ request: 'sent' }) } as unknown as RequestExchanges,
    );
  }

  interface Sent {
    readonly url: string;
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly socket: object;
    readonly rawHeaders: string[];
    user?: unknown;
  }
  const sent = (...rawHeaders: string[]): Sent => ({
    url: '/v1/x',
    method: 'POST',
    headers: {},
    socket: {},
    rawHeaders,
  });
  const AUTHORIZED = ['Authorization', 'Bearer t'];

  /** Asks a guard in the context of a request. */
  function ask(guarding: AuthGuard, request: Sent = sent(...AUTHORIZED), answer = nodeResponse()): unknown {
    let decision: unknown;
    openRequestContext(request, answer, () => {
      decision = guarding.canActivate(handlerCall(Gateway, 'free', 'http', [request]));
    });
    return decision;
  }

  beforeEach(() => {
    log = [];
  });

  it('is admitted after its token, the state of the account and the requirements, without a promise', () => {
    const request = sent(...AUTHORIZED);
    expect(ask(guardOf({}), request)).toBe(true);
    expect(log).toEqual(['resolve t', 'password change', 'enrolment', 'requirements']);
    expect(request.user).toBe(user);
  });

  it('has its user in the context, which is that of no other request, and resolves its token for each handler', () => {
    const [own, other] = [sent(...AUTHORIZED), sent(...AUTHORIZED)];
    const call = (request: Sent) => guardOf({}).canActivate(handlerCall(Gateway, 'free', 'http', [request]));
    openRequestContext(own, nodeResponse(), () => {
      expect([call(own), call(own)]).toEqual([true, true]);
      expect(new KitAuthContext().get()).toBe(user);
      expect(() => call(other)).toThrow('The request context was lost');
    });
    expect(log.filter((line) => line === 'resolve t')).toHaveLength(3);
  });

  it.each<[string, string[], object, number]>([
    ['without a token', [], {}, 40100],
    ['with a header whose name is as long', ['Accept-Ranges', 'Bearer t'], {}, 40100],
    [
      'with an invalid token',
      AUTHORIZED,
      { resolution: new AuthException(AuthErrorCode.TOKEN_INVALID) },
      40101,
    ],
  ])('is refused %s', (_what, headers, parts, code) => {
    expect(() => ask(guardOf({}, {}, parts), sent(...headers))).toThrow(expect.objectContaining({ code }));
  });

  it('is admitted with a user that the request does not let it set', () => {
    const request = Object.freeze(sent(...AUTHORIZED));
    expect(ask(guardOf({}), request)).toBe(true);
  });

  it('is decided by its own paths, and not by that of the mount of its application', () => {
    const requiresToken = jest.fn(() => false);
    const mounted = { ...sent(), url: '/v1/x', originalUrl: '/sub/v1/x', baseUrl: '/sub' };
    expect(ask(guardOf({ requiresToken }), mounted)).toBe(true);
    expect(requiresToken.mock.calls).toEqual([['/sub/v1/x', '/v1/x']]);
  });

  it('needs no token while kit.auth.enabled is false, or where the route is open', () => {
    const none = [] as unknown as [never, never, never, never, never, never, never];
    const off = new AuthGuard({ enabled: false } as KitAuthSettings, ...none);
    expect(ask(off, sent())).toBe(true);
    expect(ask(guardOf({ decision: 'open by @Public' }), sent())).toBe(true);
    expect(log).toEqual([]);
  });

  it('is refused with the headers of the refusal, at once or later', async () => {
    const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });
    const answers = [nodeResponse(), nodeResponse(), nodeResponse()];
    const fail = () => {
      throw refusal;
    };
    expect(() => ask(guardOf({}), sent(), answers[0])).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask(guardOf({}, {}, { check: fail }), undefined, answers[1])).toThrow(refusal);
    await expect(ask(guardOf({}, {}, { check: async () => fail() }), undefined, answers[2])).rejects.toBe(
      refusal,
    );
    expect(answers.map(({ headers }) => headers['Retry-After'])).toEqual([undefined, '7', '7']);
    expect(answers[0]?.headers['WWW-Authenticate']).toBe('Bearer realm="kit-auth"');
  });

  it('is refused with the place where its client gets tokens, at once or later', async () => {
    const ports = { resourceMetadata: 'https://a/b' };
    const answers = [nodeResponse(), nodeResponse()];
    const invalid = async () => {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID);
    };
    expect(() => ask(guardOf({}, {}, { ports }), sent(), answers[0])).toThrow(AuthException);
    await expect(
      ask(guardOf({}, {}, { ports, check: invalid }), undefined, answers[1]),
    ).rejects.toBeInstanceOf(AuthException);
    expect(answers.map(({ headers }) => headers['WWW-Authenticate'])).toEqual([
      'Bearer realm="kit-auth", resource_metadata="https://a/b"',
      'Bearer realm="kit-auth", error="invalid_token", resource_metadata="https://a/b"',
    ]);
  });

  it('fails with the errors of the application as they are', () => {
    const error = new Error('disk');
    const check = () => {
      throw error;
    };
    expect(() => ask(guardOf({}, {}, { ports: { resourceMetadata: 'https://a/b' }, check }))).toThrow(error);
    expect(error).not.toHaveProperty('resourceMetadata');
  });

  it('to an open endpoint of the module asks the transport, unless it changes nothing', () => {
    const admit = ({ method }: { method: string }) => note(`admit ${method}`);
    const open = (rule: object) =>
      guardOf({ decision: 'open by @Public', ...rule }, {}, { ports: { transport: { admit } } });
    ask(open({ ours: true }), sent());
    ask(open({ ours: true }), { ...sent(), method: 'GET' });
    ask(open({}), sent());
    ask(guardOf({ decision: 'open by @Public', ours: true }, {}, { ports: { transport: {} } }), sent());
    expect(log).toEqual(['admit POST']);
  });

  describe('whose user store says what request.user is', () => {
    const context = new KitAuthContext();
    const entity = { id: 7 };
    const load = async (given: unknown) => {
      note(`load ${(given as typeof user).username}`);
      return entity;
    };
    const ports = { loadRequestUser: load };
    const failing = (code: AuthErrorCode) => ({
      ports: { loadRequestUser: () => Promise.reject(new AuthException(code)) },
    });
    const optional = { decision: 'open by @OptionalUser', optional: { invalid: 'anonymous' } };

    it('has that, before its requirements are checked, while the context has the LoginUser', async () => {
      const request = sent(...AUTHORIZED);
      const seen: unknown[] = [];
      const check = () => {
        seen.push(request.user, context.get());
        return true;
      };
      expect(await ask(guardOf({}, {}, { ports, check }), request)).toBe(true);
      expect(log).toEqual(['resolve t', 'load ada', 'password change', 'enrolment']);
      expect(seen).toEqual([entity, user]);
      expect(seen[1]).toBe(user);
    });

    it('asks once for an optional token, and not without a token', async () => {
      const request = sent(...AUTHORIZED);
      expect(await ask(guardOf(optional, {}, { ports }), request)).toBe(true);
      expect(request.user).toBe(entity);
      expect(log.filter((line) => line === 'load ada')).toHaveLength(1);
      log = [];
      const open = sent();
      expect(await ask(guardOf(optional, {}, { ports }), open)).toBe(true);
      expect(ask(guardOf({ decision: 'open by @Public' }, {}, { ports }), sent(...AUTHORIZED))).toBe(true);
      expect([log, open.user]).toEqual([[], undefined]);
    });

    it('asks once for all resolvers of an operation', async () => {
      const requests = [sent(...AUTHORIZED), sent(...AUTHORIZED)];
      const guarding = guardOf({}, {}, { ports });
      let decisions: unknown[] = [];
      openRequestContext(sent(), nodeResponse(), () => {
        decisions = requests.map((req) =>
          guarding.canActivate(handlerCall(Gateway, 'free', 'graphql', [{}, {}, { req }])),
        );
      });
      expect(await Promise.all(decisions)).toEqual([true, true]);
      expect(requests.map((request) => request.user)).toEqual([entity, entity]);
      expect(log.filter((line) => line === 'load ada')).toHaveLength(1);
    });

    it('is refused for a user who is gone, and passes without one where its token is optional', async () => {
      const gone = failing(AuthErrorCode.TOKEN_INVALID);
      const [request, anonymous] = [sent(...AUTHORIZED), sent(...AUTHORIZED)];
      await expect(ask(guardOf({}, {}, gone), request)).rejects.toMatchObject({ code: 40101 });
      expect(await ask(guardOf(optional, {}, gone), anonymous)).toBe(true);
      expect([request.user, anonymous.user]).toEqual([undefined, undefined]);
    });

    it('is refused while the store does not answer, also where its token is optional', async () => {
      const down = failing(AuthErrorCode.AUTH_UNAVAILABLE);
      await expect(ask(guardOf({}, {}, down))).rejects.toMatchObject({ code: 50300 });
      await expect(ask(guardOf(optional, {}, down))).rejects.toMatchObject({ code: 50300 });
    });

    it('is refused if its client leaves in the meantime', async () => {
      const [request, answer] = [sent(...AUTHORIZED), nodeResponse()];
      const leaving = { loadRequestUser: async () => (answer.emit('close'), entity) };
      await expect(ask(guardOf({}, {}, { ports: leaving }), request, answer)).rejects.toMatchObject({
        code: 40100,
      });
      expect(log).not.toContain('requirements');
    });
  });

  describe('whose token is optional', () => {
    const context = new KitAuthContext();
    const optional = (invalid: string, parts: object = {}) =>
      guardOf({ decision: 'open by @OptionalUser', optional: { invalid } }, {}, parts);
    const refusalOf = (code: AuthErrorCode) => ({ resolution: new AuthException(code) });

    it('is open without one, and says which headers change the answer', async () => {
      const [answer, carried] = [nodeResponse(), nodeResponse()];
      const decisions = await published('kit-auth:decision', async () => {
        expect(await ask(optional('refuse'), sent(), answer)).toBe(true);
      });
      await ask(optional('refuse', { ports: { transport: { read: () => undefined } } }), sent(), carried);
      expect(decisions).toEqual([{ via: 'http', outcome: 'open', reason: 'optional' }]);
      expect(log).toEqual([]);
      expect([answer.headers, carried.headers]).toEqual([
        { Vary: 'Authorization' },
        { Vary: 'Authorization, Cookie' },
      ]);
    });

    it('is admitted with one like any other, and kept from shared caches', async () => {
      const [request, answer] = [sent(...AUTHORIZED), nodeResponse()];
      expect(await ask(optional('refuse'), request, answer)).toBe(true);
      expect(log).toEqual(['resolve t', 'password change', 'enrolment', 'requirements']);
      expect(request.user).toBe(user);
      expect(answer.headers).toEqual({ Vary: 'Authorization', 'Cache-Control': 'private' });
    });

    it('is refused with an invalid one, unless the route takes it for none', async () => {
      const invalid = refusalOf(AuthErrorCode.TOKEN_INVALID);
      await expect(ask(optional('refuse', invalid))).rejects.toMatchObject({ code: 40101 });
      expect(await ask(optional('anonymous', invalid))).toBe(true);
    });

    describe('and whose token came by a transport', () => {
      const carrying = (error: AuthException, parts: object = {}) => ({
        resolution: error,
        ports: {
          transport: { read: () => 'c', discard: () => note('discard') },
          credentialOf: () => undefined,
          ...parts,
        },
      });
      const invalid = (reason?: string) => new AuthException(AuthErrorCode.TOKEN_INVALID, { reason });

      it.each([
        ['expired', invalid('expired'), ['discard']],
        ['unknown', invalid(), ['discard']],
        ['that of a disabled user, who may come back', invalid('disabled'), []],
        ['not checked', new AuthException(AuthErrorCode.AUTH_UNAVAILABLE), []],
      ])('has it deleted if it can never be valid again: %s', async (_what, error, expected) => {
        await expect(ask(optional('refuse', carrying(error)), sent())).rejects.toBe(error);
        expect(log.filter((line) => line === 'discard')).toEqual(expected);
      });

      it('does not have that of a header deleted, nor after the headers of the answer are sent', async () => {
        const parts = carrying(invalid('expired'));
        expect(await ask(optional('anonymous', parts), sent(...AUTHORIZED))).toBe(true);
        expect(
          await ask(
            optional('anonymous', parts),
            sent(),
            Object.assign(nodeResponse(), { headersSent: true }),
          ),
        ).toBe(true);
        expect(log).not.toContain('discard');
      });
    });

    it('is refused where the token could not be checked, whatever the route says', async () => {
      const later = { resolution: Promise.reject(new AuthException(AuthErrorCode.AUTH_UNAVAILABLE)) };
      await expect(ask(optional('anonymous', later))).rejects.toMatchObject({ code: 50300 });
      const other = { resolution: Promise.reject(Object.assign(new Error(), { code: 40101 })) };
      await expect(ask(optional('anonymous', other))).rejects.toThrow(Error);
    });

    it('has no user of an earlier handler', async () => {
      const request = sent();
      let users: Promise<unknown> | undefined;
      openRequestContext(request, nodeResponse(), () => {
        fillRequestContext({ user, proof, scheme: 'stub', token: 't' }, request);
        const call = handlerCall(Gateway, 'free', 'http', [request]);
        const decision = optional('refuse').canActivate(call) as Promise<boolean>;
        users = decision.then(() => [context.get(), context.principal()]);
      });
      expect(await users).toEqual([undefined, undefined]);
    });

    it('may be passed to the resolvers of GraphQL as another object', async () => {
      const [own, passed] = [sent(), sent(...AUTHORIZED)];
      const asking = (type: string, args: unknown[]) =>
        optional('refuse').canActivate(handlerCall(Gateway, 'free', type, args));
      const decisions: unknown[] = [];
      openRequestContext(own, nodeResponse(), () => {
        decisions.push(asking('graphql', [{}, {}, { req: passed }]), asking('http', [sent()]));
      });
      expect(await decisions[0]).toBe(true);
      expect(passed.user).toBe(user);
      await expect(decisions[1]).rejects.toThrow('The request context was lost');
    });
  });

  describe('with a credential', () => {
    let asked: unknown[] = [];
    beforeEach(() => {
      asked = [];
    });
    const credential = {
      authorize: (_principal: unknown, route: object) => {
        asked.push(route);
        note('authorize');
      },
      admitted: () => note('admitted'),
    };

    it('is authorized before the requirements, and noted after them', async () => {
      expect(ask(guardOf({ requirements: [7] }, { credential }))).toBe(true);
      expect(log.slice(3)).toEqual(['authorize', 'requirements', 'admitted']);
      expect(asked).toEqual([
        {
          controller: Gateway,
          handler: Reflect.get(Gateway.prototype, 'free'),
          requirements: [7],
          ours: false,
        },
      ]);
      log = [];
      const later = { ...credential, authorize: async () => note('authorize') };
      expect(await ask(guardOf({ ours: true }, { credential: later }))).toBe(true);
      expect(log.slice(3)).toEqual(['authorize', 'requirements', 'admitted']);
    });

    it('is not noted if a requirement refuses it', () => {
      const check = () => {
        throw new AuthException(AuthErrorCode.FORBIDDEN);
      };
      expect(() => ask(guardOf({}, { credential }, { check }))).toThrow(
        expect.objectContaining({ code: 40300 }),
      );
      expect(log).not.toContain('admitted');
    });

    it('may leave both decisions out', () => {
      expect(ask(guardOf({}, { credential: {} }))).toBe(true);
      expect(log.at(-1)).toBe('requirements');
    });
  });

  it('is published as a decision', async () => {
    const decisions = await published('kit-auth:decision', async () => {
      expect(ask(guardOf({}))).toBe(true);
      expect(await ask(guardOf({}, {}, { check: async () => true }))).toBe(true);
      ask(guardOf({ decision: 'open by white-list' }), sent());
      expect(() => ask(guardOf({}), sent())).toThrow();
    });
    expect(decisions).toEqual([
      { via: 'http', outcome: 'admitted', scheme: 'stub' },
      { via: 'http', outcome: 'admitted', scheme: 'stub' },
      { via: 'http', outcome: 'open', reason: 'white-list' },
      { via: 'http', outcome: 'refused', code: 40100 },
    ]);
  });
});

describe('the reason of an open route', () => {
  it.each([
    ['open by path', 'path'],
    ['open by default', 'default'],
    ['open by @Public', 'public'],
    ['open by white-list', 'white-list'],
    ['token, or open by white-list', 'white-list'],
    ['token where the path is guarded', 'path'],
  ])('%s is published as %s', async (decision, reason) => {
    const rule = { decision, requirements: [], requiresToken: () => false };
    const open = new AuthGuard(
      settings,
      { ruleFor: () => rule } as unknown as RouteRules,
      ...([undefined, undefined, undefined, undefined] as unknown as [never, never, never, never]),
      admission,
      undefined as never,
    );
    const call = handlerCall(Gateway, 'free', 'http', [{ url: '/x' }]);
    const decisions = await published('kit-auth:decision', () => open.canActivate(call));
    expect(decisions).toMatchObject([{ outcome: 'open', reason }]);
  });
});

describe('the error of a message', () => {
  class WsException extends Error {
    constructor(readonly body: string | object) {
      super('refused');
    }
  }
  const refusal = new AuthException(AuthErrorCode.TOKEN_MISSING);

  it('has the body of a refusal, where the gateway is known', () => {
    messageExceptions.set('ws', WsException);
    try {
      expect(messageErrorOf('ws', refusal)).toMatchObject({ body: { code: 40100 } });
      const other = new Error('x');
      expect([messageErrorOf('ws', other), messageErrorOf('rpc', refusal)]).toEqual([other, refusal]);
    } finally {
      messageExceptions.delete('ws');
    }
  });
});
