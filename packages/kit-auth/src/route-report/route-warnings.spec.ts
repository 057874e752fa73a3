import { describe, expect, it } from '@jest/globals';
import { CurrentUser } from '../context/kit-auth.context.js';
import type { MessageHandler } from '../messages/message.explorer.js';
import type { RouteDecision } from '../routes/route-rule.js';
import type { DecidedRoute } from './route-access.js';
import { warningsOf } from './route-warnings.js';

class Notes {
  list(@CurrentUser() user?: unknown) {
    return user;
  }
  other() {}
}

type Row = readonly [decision: RouteDecision, path?: string, name?: string, controller?: object];

function routeOf([decision, path = '/x', name = 'other', controller = Notes]: Row, method = 'GET') {
  const handler: unknown = Reflect.get((controller as typeof Notes).prototype, name);
  const rule = { decision, requirements: [] };
  return { method, path, name, controller, handler, rule, ours: false } as unknown as DecidedRoute;
}

interface Found {
  routes?: Row[];
  resolvers?: Row[];
  fields?: string[];
  messages?: MessageHandler[];
}

function warnings({ routes = [], resolvers = [], fields = [], messages = [] }: Found, settings: object = {}) {
  return warningsOf(
    {
      routes: routes.map((row) => routeOf(row)),
      resolvers: resolvers.map((row) => routeOf(row, 'Query')),
      fields,
      messages,
    },
    { protect: ['/v1/**', '/v2/**'], whiteList: [], optional: [], ...settings },
  );
}

const CLOSED: Row = ['token', '/v1/closed', 'other', class Closed extends Notes {}];

describe('start-up warns', () => {
  it('of nothing where all routes are decided', () => {
    expect(warnings({})).toEqual([]);
    expect(
      warnings({
        routes: [
          CLOSED,
          ['open by @Public'],
          ['open by white-list'],
          ['open by optional path', '/x', 'list'],
          ['open by @OptionalUser', '/y', 'list'],
          ['token, or open by white-list'],
        ],
      }),
    ).toEqual([]);
  });

  it.each<[string, Found, object, string]>([
    [
      'routes',
      { routes: [['open by @Public', '/'], ['open by path']] },
      {},
      'NOTHING IS PROTECTED: none of the 2 routes of the application needs a token of kit-auth (1 open by @Public, ' +
        "1 open by path; for example GET /x). kit.auth.protect is ['/v1/**', '/v2/**']: set it to the paths of your " +
        "routes, such as protect: ['/**'] for all of them, or add @RequireToken() to controllers.",
    ],
    [
      'routes that the white-list opens',
      { routes: [['open by white-list'], ['open by white-list']] },
      { protect: ['/**'] },
      'needs a token of kit-auth (2 open by white-list). kit.auth.protect is',
    ],
    [
      'decorators',
      { routes: [['open by default']] },
      { protect: 'decorated' },
      "(1 open by default; for example GET /x). kit.auth.protect is 'decorated': add @RequireToken() to the controllers " +
        'or handlers that need one.',
    ],
    [
      'patterns of optional',
      { routes: [['open by optional path', '/a'], ['open by path']] },
      { protect: ['/**'], optional: ['/a'] },
      'none of the 2 routes of the application needs a token of kit-auth (1 open by optional path, 1 open by path; for example GET ' +
        '/x). kit.auth.optional opens routes: list only the paths that everybody may call, set { paths, when } to say which ' +
        'requests need no token, or add @RequireToken() to controllers.',
    ],
    [
      'resolvers',
      {
        resolvers: [
          ['open by path', '/graphql'],
          ['open by @Public', '/graphql'],
        ],
      },
      {},
      'none of the 2 resolvers of the application needs a token of kit-auth (1 open by path, 1 open by @Public; for ' +
        'example Query /graphql).',
    ],
    [
      'both',
      { routes: [['open by @Public']], resolvers: [['open by @Public']] },
      {},
      'none of the 1 routes and 1 resolvers of the application needs a token',
    ],
  ])('that nothing is protected, once: %s', (_what, found, settings, words) => {
    expect(warnings(found, settings)).toEqual([expect.stringContaining(words)]);
  });

  it('of routes that a pattern of optional opens, and that may change something', () => {
    const optional = ['GET', 'HEAD', 'POST', 'ALL'].map((method) =>
      routeOf(['open by optional path', `/${method.toLowerCase()}`], method),
    );
    const decided = [
      routeOf(['token, or open by optional path'], 'POST'),
      routeOf(['open by @OptionalUser'], 'POST'),
    ];
    const settings = { protect: ['/**'], whiteList: [], optional: ['/x'] };
    const nothing = { resolvers: [], fields: [], messages: [] };
    expect(warningsOf({ routes: [...optional, ...decided], ...nothing }, settings)).toEqual([
      'kit.auth.optional opens routes that may change something: POST /post (Notes.other), ALL /all (Notes.other). Add ' +
        '@RequireToken() to protect them, @OptionalUser() or @Public() to open them on purpose, or set kit.auth.optional to ' +
        "{ paths, when: ({ method }) => method === 'GET' }.",
    ]);
  });

  it('of routes that no pattern covers, in one line', () => {
    const rows: Row[] = [CLOSED, ['open by path', '/v3/a'], ['token where the path is guarded', '/:a/b']];
    expect(warnings({ routes: rows, resolvers: [['open by path', '/graphql']] })).toEqual([
      "routes that kit.auth.protect (['/v1/**', '/v2/**']) does not cover need no token: GET /v3/a (Notes.other), " +
        'GET /:a/b (Notes.other), Query /graphql (Notes.other). Add @RequireToken() to protect them, or @Public() to open them on ' +
        'purpose.',
    ]);
  });

  it('of ten of them, and counts the others', () => {
    const many = (count: number) =>
      warnings({
        routes: [CLOSED, ...Array.from({ length: count }, (_, i): Row => ['open by path', `/open/${i}`])],
      });
    expect(many(13)).toEqual([
      expect.stringMatching(/GET \/open\/9 \(Notes\.other\), 3 more\. Add @RequireToken\(\)/),
    ]);
    expect(many(10)).toEqual([expect.stringMatching(/GET \/open\/9 \(Notes\.other\)\. Add/)]);
  });

  it('of handlers that are open at one path and need a token at another', () => {
    class Other extends Notes {}
    const rows: Row[] = [
      ['token', '/v1/free'],
      ['open by path', '/free'],
      ['open by path', '/other', 'other', Other],
      ['open by path', '/third', 'list'],
    ];
    expect(warnings({ routes: rows })).toEqual([
      'handlers that need a token at one path are open at another path: GET /free (Notes.other). Add @RequireToken() to ' +
        'protect them everywhere, or @Public() to open them everywhere.',
      expect.stringContaining('need no token: GET /other (Other.other), GET /third (Notes.list). Add'),
      expect.stringContaining('@CurrentUser()'),
    ]);
  });

  it('of handlers that never have a user', () => {
    const rows: Row[] = [CLOSED, ['open by path', '/x', 'list'], ['open by @Public', '/y', 'list']];
    expect(warnings({ routes: rows })[1]).toBe(
      '@CurrentUser() is always undefined on routes that need no token: GET /x (Notes.list). Add @OptionalUser(), protect ' +
        'them, or remove it.',
    );
    expect(warnings({ routes: [CLOSED], resolvers: [['open by default', '/graphql', 'list']] })).toEqual([
      expect.stringContaining('Query /graphql (Notes.list)'),
    ]);
  });

  it('of options without effect, and of those that open everything', () => {
    const routes = [CLOSED];
    expect(warnings({ routes }, { protect: 'decorated', whiteList: ['/x'], optional: ['/**'] })).toEqual([
      "kit.auth.whiteList has no effect, because kit.auth.protect is 'decorated': no path is protected",
    ]);
    expect(warnings({ routes }, { optional: ['/x', '/**'], whiteList: ['/x'] })).toEqual([
      'kit.auth.optional has "/**": no route needs a token, unless a decorator requires one',
    ]);
    expect(warnings({ routes }, { optional: { paths: ['/**'], when: () => true } })).toEqual([]);
    expect(warnings({ routes, resolvers: [['open by optional path', '/graphql']] })).toEqual([
      'patterns of kit.auth.optional do not apply to resolvers: Query /graphql (Notes.other). Add @OptionalUser() to them.',
    ]);
  });

  it('of decorators on fields of GraphQL', () => {
    expect(warnings({ routes: [CLOSED], fields: ['Vet.weight', 'Vet.age'] })).toEqual([
      expect.stringMatching(
        /^access decorators on fields have no effect: Vet\.weight, Vet\.age\. .* fieldResolverEnhancers: \['guards'\]/,
      ),
    ]);
  });

  it('of handlers of messages that refuse every message, each once', () => {
    const handler = { controller: Notes, name: 'list' } as unknown as MessageHandler;
    expect(warnings({ routes: [CLOSED], messages: [handler, handler] })).toEqual([
      expect.stringMatching(
        /^message handlers that refuse every message: Notes\.list\. They require a token/,
      ),
    ]);
  });
});
