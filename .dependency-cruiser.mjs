// Who may import whom. `npm run lint` checks it, docs/layout.md says why, and .ci/import-rules.test.mjs shows that each
// rule can fail.
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel: each folder with the folders and files of the core that it may import besides its own. */
export const KERNEL = {
  errors: [],
  diagnostics: ['errors'],
  contract: ['errors'],
  context: ['contract', 'errors'],
  routes: ['contract', 'errors'],
  ports: ['contract', 'diagnostics', 'errors'],
  guard: ['contract', 'diagnostics', 'errors', 'context', 'routes', 'ports'],
  users: [
    'contract',
    'diagnostics',
    'errors',
    'context/fair-queue.ts',
    'context/network.ts',
    'ports/port.ts',
    'ports/ports.ts',
    'ports/user-data.ts',
  ],
  login: ['contract', 'diagnostics', 'errors', 'context', 'routes', 'ports', 'users'],
};

/** The features: each may import the whole kernel, and the features listed here. */
export const FEATURES = {
  passwords: ['config'],
  manager: ['passwords'],
  config: [],
  throttle: ['tools'],
  events: ['tools'],
  fresh: ['endpoints', 'manager', 'passwords', 'throttle'],
  account: ['config', 'endpoints', 'fresh', 'manager', 'passwords', 'throttle', 'tools'],
  administration: [],
  refusals: ['endpoints'],
  endpoints: ['manager'],
  feature: ['account', 'administration', 'config', 'endpoints', 'feature/commands', 'refusals'],
  'feature/commands': [],
  messages: [],
  'route-report': ['messages'],
  openapi: ['endpoints', 'route-report'],
  seeding: ['config', 'passwords'],
  tools: [],
  'tools/signatures': [],
  'typeorm/database': [],
  'typeorm/users': ['feature/commands', 'typeorm/database', 'tools'],
  'typeorm/roles': ['administration', 'typeorm/database', 'typeorm/users'],
  'store/one-time': ['endpoints', 'feature/commands', 'refusals', 'tools', 'typeorm/database'],
  'store/second-factor': ['endpoints', 'feature/commands', 'refusals', 'store/one-time', 'throttle', 'tools'],
};

const CORE = '^packages/kit-auth/src/';
const FOLDERS = [...Object.keys(KERNEL), ...Object.keys(FEATURES)];
/** The source files of the public entries, from `exports` and `bin` in each package.json. */
const ENTRIES = readdirSync('packages').flatMap((name) => {
  const { exports, bin = {} } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
  const sources = Object.values(exports).flatMap((entry) => entry['@kit-auth/source'] ?? []);
  sources.push(...Object.values(bin).map((file) => file.replace(/^\.\/dist\/esm\/(.*)\.js$/, './src/$1.ts')));
  return sources.map((source) => `^packages/${name}${source.slice(1)}$`);
});
// What browsers load first, and what tells the server where it is.
ENTRIES.push('^packages/kit-auth-console/page/(page\\.js|folder\\.(cjs|d\\.cts))$');
const CONSOLE_PAGE = '^packages/kit-auth-console/page/';
/** The server puts them beside the modules of the page. */
const CLIENTS_OF_PAGE = '^\\./(client|languages-client|passkeys-client)\\.js$';
const TYPEORM = '(^|/)node_modules/(@nestjs/)?typeorm/';
const MESSAGES = '(^|/)node_modules/@nestjs/(websockets|microservices)/';
const QUEUES = '(^|/)node_modules/(@nestjs/(bull|bullmq|microservices)|bullmq|ioredis)/';
const CLASS_VALIDATOR = '(^|/)node_modules/class-validator/';
const REDIS = '(^|/)node_modules/(@redis/|redis/|ioredis/)';
const SESSION_STORES = '^packages/kit-auth-session/src/stores/';
const BUSES = '^packages/kit-auth-sockets/src/bus/';
const LOGIN_STORES = '^packages/kit-auth-refresh/src/stores/';
const ADDRESS_STORES = '^packages/kit-auth-email/src/stores/';
const FACTOR_STORES = '^packages/kit-auth-factors/src/stores/';
const PASSKEY_STORES = '^packages/kit-auth-passkeys/src/stores/';
const IDENTITY_STORES = '^packages/kit-auth-oidc/src/stores/';
const KEY_STORES = '^packages/kit-auth-keys/src/stores/';
const CLI_DATABASE = '^packages/kit-auth-cli/src/database/';
const CLI_INIT = '^packages/kit-auth-cli/src/init/';
/** What `init` loads besides. */
const CLI_INIT_PARTS =
  '^packages/kit-auth-cli/src/(arguments|cli-command|cli\\.error|help|output|prompt|application/installation|commands/init\\.command)\\.ts$';
const OPENTELEMETRY = '(^|/)node_modules/@opentelemetry/';
const RECORDING = '^packages/kit-auth-otel/src/recording/';
const DATABASE_SESSIONS = `${SESSION_STORES}(auth-session\\.|database)`;
const JWT = '(^|/)node_modules/(@nestjs/jwt|jsonwebtoken|jose|fast-jwt)/';

/** A pattern for a file of the core, or for a folder without the nested folders that have a line of their own. */
function pattern(name) {
  const nested = FOLDERS.filter((it) => it.startsWith(`${name}/`)).map((it) => it.slice(name.length + 1));
  return name.endsWith('.ts') ? `${CORE}${name}$` : `${CORE}${name}/${nested.map((it) => `(?!${it}/)`)}`;
}

function folderRule(folder, allowed, words) {
  return rule(
    `core/${folder}`,
    words,
    { path: pattern(folder) },
    { path: CORE, pathNot: [folder, ...allowed].map(pattern) },
  );
}

function rule(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

export default {
  forbidden: [
    ...Object.entries(KERNEL).map(([folder, allowed]) =>
      folderRule(
        folder,
        allowed,
        `Of the core, the kernel folder ${folder} may import only: ${allowed.join(', ') || 'nothing'}.`,
      ),
    ),
    ...Object.entries(FEATURES).map(([folder, allowed]) =>
      folderRule(
        folder,
        [...Object.keys(KERNEL), ...allowed],
        `Of the core, the feature ${folder} may import only: ${['the kernel', ...allowed].join(', ')}.`,
      ),
    ),
    rule(
      'core-folder-without-a-rule',
      'Add this folder to a table of .dependency-cruiser.mjs. (src/ itself holds entries and kit-auth.module.ts.)',
      {},
      { path: CORE, pathNot: [...FOLDERS, 'kit-auth.module.ts'].map(pattern).concat(ENTRIES) },
    ),
    rule(
      'contract-runs-no-code',
      'The contract holds types and tokens. It may import error codes, and types of errors, but no classes.',
      { path: pattern('contract') },
      {
        path: pattern('errors'),
        pathNot: pattern('errors/auth-error-code.ts'),
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'typeorm-in-its-store',
      'Of the core, only typeorm/, store/one-time and their entries know TypeORM.',
      {
        path: CORE,
        pathNot: [
          'typeorm/database',
          'typeorm/users',
          'typeorm/roles',
          'typeorm.ts',
          'store/one-time',
          'store.ts',
        ].map(pattern),
      },
      { path: TYPEORM },
    ),
    rule(
      'typeorm-store-on-demand',
      'An application with its own user store must not load TypeORM: import it with import().',
      {
        path: [
          'index.ts',
          'kit-auth.module.ts',
          'feature.ts',
          'login.ts',
          'tools.ts',
          'cli.ts',
          'openapi.ts',
          'class-validator.ts',
        ].map(pattern),
      },
      {
        path: [
          'typeorm/database',
          'typeorm/users',
          'typeorm/roles',
          'store/one-time',
          'store/second-factor',
        ].map(pattern),
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    rule(
      'messages-on-demand',
      'An application without gateways and microservices must not load their packages: import them with import().',
      { path: CORE, pathNot: pattern('messages/gateway.refusal.ts') },
      {
        path: [MESSAGES, pattern('messages/gateway.refusal.ts')],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    rule(
      'class-validator-in-its-entry',
      'Only kit-auth/class-validator knows class-validator: other applications do not install it.',
      { path: '^packages/', pathNot: pattern('class-validator.ts') },
      { path: CLASS_VALIDATOR },
    ),
    rule(
      'core-without-implementations',
      'The core knows no other package.',
      { path: '^packages/kit-auth/' },
      { path: '^packages/', pathNot: '^packages/kit-auth/' },
    ),
    rule(
      'packages-apart',
      'Of our packages, a package may import only kit-auth. (kit-auth-testing may import what it tests.)',
      { path: '^packages/(kit-auth-[^/]+)/', pathNot: '^packages/kit-auth-(testing|registration)/' },
      { path: '^packages/', pathNot: ['^packages/kit-auth/', '^packages/$1/'] },
    ),
    rule(
      'registration-on-email',
      'Of our packages, kit-auth-registration may import only kit-auth and kit-auth-email.',
      { path: '^packages/kit-auth-registration/' },
      { path: '^packages/', pathNot: '^packages/kit-auth(-email|-registration)?/' },
    ),
    rule(
      'public-entries-only',
      'Of another package, only the entries that its package.json exports may be imported.',
      { path: '^(?:packages|apps)/([^/]+)/' },
      { path: '^packages/', pathNot: ['^packages/$1/', ...ENTRIES] },
    ),
    rule(
      'declared-dependencies',
      'A package must declare what it imports: in dependencies or peerDependencies of its package.json.',
      { path: '^packages/' },
      {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'],
        dependencyTypesNot: ['npm', 'npm-peer'],
      },
    ),
    rule(
      'jwt-libraries',
      'Only kit-auth-jwt, and kit-auth-oidc for the tokens of providers, know a JWT library.',
      { path: '^packages/', pathNot: '^packages/kit-auth-(jwt|oidc)/' },
      { path: JWT },
    ),
    rule(
      'typeorm-in-stores',
      'Besides the core, only kit-auth-admin and the stores of other packages know TypeORM and kit-auth/typeorm.',
      {
        path: '^packages/kit-auth-',
        pathNot: [
          '^packages/kit-auth-admin/',
          SESSION_STORES,
          LOGIN_STORES,
          ADDRESS_STORES,
          FACTOR_STORES,
          PASSKEY_STORES,
          IDENTITY_STORES,
          KEY_STORES,
          CLI_DATABASE,
        ],
      },
      { path: [TYPEORM, pattern('typeorm.ts')] },
    ),
    rule(
      'typeorm-commands-on-demand',
      'Commands must work in applications without TypeORM: import database/ with import().',
      { path: '^packages/kit-auth-cli/', pathNot: CLI_DATABASE },
      { path: CLI_DATABASE, dependencyTypesNot: ['type-only', 'dynamic-import'] },
    ),
    rule(
      'init-on-demand',
      'Only init parses TypeScript: import init/ with import().',
      { path: '^packages/', pathNot: CLI_INIT },
      {
        path: [CLI_INIT, '(^|/)node_modules/ts-morph/'],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    rule(
      'init-without-kit-auth',
      'The application may not have kit-auth yet when init runs.',
      { path: [CLI_INIT, CLI_INIT_PARTS] },
      {
        path: ['^packages/kit-auth/', '(^|/)node_modules/@nestjs/'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'command-line-in-development',
      'No other package imports kit-auth-cli or its entry of the core, kit-auth/cli: production must not load them.',
      { path: '^packages/', pathNot: '^packages/kit-auth-cli/' },
      { path: ['^packages/kit-auth-cli/', pattern('cli.ts')] },
    ),
    rule(
      'typeorm-sessions-on-demand',
      'An application with another session store must not load TypeORM: import the database store with import().',
      { path: '^packages/kit-auth-session/', pathNot: [DATABASE_SESSIONS, '/src/typeorm\\.ts$'] },
      { path: DATABASE_SESSIONS, dependencyTypesNot: ['type-only', 'dynamic-import'] },
    ),
    rule(
      'redis-in-stores-and-buses',
      'Only the stores of kit-auth-session and the buses of kit-auth-sockets know Redis.',
      { path: '^packages/', pathNot: [SESSION_STORES, BUSES] },
      { path: REDIS },
    ),
    rule(
      'buses-on-demand',
      'An application without Redis or PostgreSQL must not load their packages: import them with import().',
      { path: BUSES },
      { path: [REDIS, '(^|/)node_modules/pg/'], dependencyTypesNot: ['type-only', 'dynamic-import'] },
    ),
    rule(
      'opentelemetry-in-recording',
      'Only kit-auth-otel/src/recording knows OpenTelemetry.',
      { path: '^packages/', pathNot: RECORDING },
      { path: OPENTELEMETRY },
    ),
    rule(
      'opentelemetry-on-demand',
      'A missing @opentelemetry/api must not break the import of kit-auth-otel: import recording/ with import().',
      { path: '^packages/kit-auth-otel/', pathNot: RECORDING },
      { path: RECORDING, dependencyTypesNot: ['type-only', 'dynamic-import'] },
    ),
    rule(
      'jobs-without-queues',
      'Applications have BullMQ, microservices or neither: kit-auth-jobs must not load them.',
      { path: '^packages/kit-auth-jobs/' },
      { path: QUEUES, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'clients-alone',
      'The clients of kit-auth-browser, kit-auth-languages, kit-auth-oidc and kit-auth-passkeys run in pages: they import nothing.',
      { path: '^packages/kit-auth-(browser|languages|oidc|passkeys)/src/client\\.ts$' },
      {},
    ),
    rule(
      'console-page-alone',
      'The page of kit-auth-console runs in browsers: its modules import each other and the clients, and nothing else.',
      { path: CONSOLE_PAGE },
      { pathNot: [CONSOLE_PAGE, CLIENTS_OF_PAGE] },
    ),
    rule('no-cycles', 'Files must not import each other in a cycle.', {}, { circular: true }),
    {
      ...rule(
        'no-folder-cycles',
        'Folders must not import each other in a cycle.',
        { path: '^packages/' },
        { circular: true },
      ),
      scope: 'folder',
    },
    rule(
      'no-unused-files',
      'No entry of a package leads to this file: delete it.',
      { path: ENTRIES },
      { path: '^packages/', pathNot: ENTRIES, reachable: false },
    ),
    rule('resolvable', 'This import leads nowhere.', {}, { couldNotResolve: true, pathNot: CLIENTS_OF_PAGE }),
  ],
  options: {
    // Specs may import anything.
    exclude: ['\\.spec\\.ts$', '^(packages|apps)/[^/]+/dist/'],
    doNotFollow: 'node_modules',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    // As in tsconfig.base.json: imports of our packages resolve to their sources.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@kit-auth/source', 'types', 'import', 'node', 'default'],
    },
  },
};
