import { KitAuthAuditModule } from 'kit-auth-admin';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { describePackage } from 'test-support';
import { consoleOptions } from './config/console.options.js';
import * as api from './api.js';
import * as index from './index.js';

const PATH =
  'kit.auth.console.path must be a path such as /auth-console: segments of letters, digits, "_" and "-", without a ' +
  'slash at the end';
const HOME =
  'kit.auth.console.home must be a path of the same origin, such as /start: one slash, then ASCII without spaces';
const TITLE = 'kit.auth.console.title must be 1 to 60 characters without control characters';
const LANGUAGES = 'kit.auth.console.languages';
const TAG = 'a catalog without a $tag such as "fr" or "pt-BR"';
const fr = { $tag: 'fr' };

describePackage<index.KitAuthConsoleOptions>({
  at: import.meta.url,
  entries: { '': index, api },
  module: index.KitAuthConsoleModule,
  definition: consoleOptions,
  with: [KitAuthBrowserModule, KitAuthAuditModule],
  options: {},
  defaults: {
    path: '/auth-console',
    title: 'Administration',
    languages: ['en', 'de'],
    home: '/',
    requireSecondFactor: false,
  },
  wrong: [
    [
      { path: 'admin', title: 'x'.repeat(61), languages: ['fr'], home: 'start', requireSecondFactor: 'true' },
      PATH,
      TITLE,
      `${LANGUAGES} has at position 1 a language that the package does not have. It has 'en' and 'de'; pass others as catalogs`,
      HOME,
      'kit.auth.console.requireSecondFactor must be the boolean true or false',
    ],
    ...['/', '/admin/', '/admin//x', '/:admin', '/*', '/a.b', '/../a', '/a b', '/a\n'].map(
      (path) => [{ path }, PATH] as const,
    ),
    [{ path: '' }, 'kit.auth.console.path must be a non-blank string'],
    [{ path: '/V1/admin' }, 'kit.auth.console.path must not begin with /v1, where the endpoints are'],
    [{ path: '/v1' }, 'kit.auth.console.path must not begin with /v1, where the endpoints are'],
    [{ title: ' ' }, 'kit.auth.console.title must be a non-blank string'],
    ...['a\nb', 'a\u202eb'].map((title) => [{ title }, TITLE] as const),
    ...['//evil.example', '/\\evil.example', '/\t/evil.example', 'https://evil.example', 'javascript:x'].map(
      (home) => [{ home }, HOME] as const,
    ),
    ...[[], 'en'].map(
      (languages) =>
        [{ languages }, `${LANGUAGES} must be a list of languages: 'en' and 'de', or catalogs`] as const,
    ),
    ...[7, null].map(
      (it) =>
        [
          { languages: ['en', it] },
          `${LANGUAGES} has at position 2 neither a language nor a catalog`,
        ] as const,
    ),
    [
      { languages: ['__proto__'] },
      `${LANGUAGES} has at position 1 a language that the package does not have. It has 'en' and 'de'; pass others as catalogs`,
    ],
    ...[undefined, '../x', 'page.css', 'en-aa-bb', 'EN'].map(
      ($tag) => [{ languages: [{ ...fr, $tag }] }, `${LANGUAGES} has at position 1 ${TAG}`] as const,
    ),
    [
      { languages: [{ ...fr, $direction: 'up' }] },
      `${LANGUAGES} has at position 1 a catalog whose $direction is neither "ltr" nor "rtl"`,
    ],
    [
      { languages: [{ ...fr, $errors: [] }] },
      `${LANGUAGES} has at position 1 a catalog whose $errors is no catalog of kit-auth-languages`,
    ],
    ...[
      ['en', 'en'],
      ['de', { ...fr, $tag: 'de' }],
    ].map((languages) => [{ languages }, `${LANGUAGES} has a language twice`] as const),
  ],
  environment: [
    [
      {
        KIT_AUTH_CONSOLE_PATH: '/a/b-c/D_4',
        KIT_AUTH_CONSOLE_TITLE: `<b>Söhne & Töchter</b> 🎉${'x'.repeat(30)}`,
        KIT_AUTH_CONSOLE_LANGUAGES: 'de,en',
        KIT_AUTH_CONSOLE_HOME: '/start?from=console&x=%20#top',
        KIT_AUTH_CONSOLE_REQUIRE_SECOND_FACTOR: 'true',
      },
      {
        path: '/a/b-c/D_4',
        languages: ['de', 'en'],
        home: '/start?from=console&x=%20#top',
        requireSecondFactor: true,
      },
    ],
    [{ KIT_AUTH_CONSOLE_PATH: '/v10' }, { path: '/v10' }],
  ],
  needs: { once: /There is more than one KitAuthConsoleModule/, tables: /the table auth_audit is missing/ },
  requests: async (app, check) => {
    const admin = await app.adminToken();
    check('GET console', await app.call(admin, 'GET', 'console'));
    check('GET console', await app.call(await app.tokenOf(await app.user()), 'GET', 'console'));
    check('GET console/users/{id}', await app.call(admin, 'GET', 'console/users/1'));
  },
});
