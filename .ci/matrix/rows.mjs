// The rows of the matrix. A row is
//   make      commands that make an application and install into it, as users do; layers.mjs caches their results
//   overlays  folders of overlays/ that are copied over it, in this order; none by default
//   into      the folder of the application in a workspace
//   node      another version of Node for the commands
//   commands  what must succeed, in the folder of the application
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = [
  'README.md',
  'docs/start.md',
  ...readdirSync(join(ROOT, 'docs/guides'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guides/${name}`),
];
const TEXTS = DOCUMENTS.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');

/** A command that our documents tell users to run, literally. */
function documented(line) {
  if (!TEXTS.split('\n').includes(line)) {
    throw new Error(`No document has the line: ${line}`);
  }
  return line;
}

const CLI_11 = 'npx -y @nestjs/cli@11 new app --skip-install --skip-git -p npm';
const CLI_12 = 'npx -y @nestjs/cli@12 new app --skip-install --skip-git -p npm --no-observe';
// What `new` does when it is told CommonJS: only its prompt can be.
const CLI_12_COMMONJS =
  'npx -y -p @nestjs/cli@12 schematics @nestjs/schematics:application --name=app --type=cjs --package-manager=npm';
const CLI_NX =
  'npx -y create-nx-workspace@23 app --preset=nest --appName=api --pm=npm --e2eTestRunner=none --nxCloud=skip --skipGit --no-interactive';

const TOOLS = documented('npm install --save-dev kit-auth-cli kit-auth-testing');
const COMMAND_LINE = documented('npm install --save-dev kit-auth-cli');
// As docs/start.md says.
const START_11 = [
  CLI_11,
  'npm install',
  documented(
    'npm install @nestjs/typeorm@11 typeorm@0.3 better-sqlite3 kit-auth kit-auth-session kit-auth-admin',
  ),
  TOOLS,
];
const START_12 = [
  CLI_12,
  'npm install',
  documented('npm install @nestjs/typeorm typeorm better-sqlite3 kit-auth kit-auth-session kit-auth-admin'),
  TOOLS,
];

// As the README and the guides say.
const MORE = [
  `${documented('npm install kit-auth-admin')} kit-auth-session kit-auth-refresh kit-auth-browser`,
  documented('npm install kit-auth-registration kit-auth-email nodemailer@10'),
  'npm install kit-auth-factors kit-auth-oidc kit-auth-passkeys kit-auth-keys kit-auth-issuers kit-auth-languages kit-auth-console kit-auth-sockets kit-auth-jobs',
  documented('npm install kit-auth-otel @opentelemetry/api'),
  COMMAND_LINE,
];
const ON_11 = [
  documented(
    'npm install kit-auth kit-auth-jwt @nestjs/jwt@11 @nestjs/typeorm@11 typeorm@0.3 better-sqlite3',
  ),
  ...MORE,
];
const ON_12 = [
  documented('npm install kit-auth kit-auth-jwt @nestjs/jwt @nestjs/typeorm typeorm better-sqlite3'),
  ...MORE,
];

const NEST_11 = [...START_11, ...ON_11];
const NEST_12 = [...START_12, ...ON_12];

const follow = (page) => `node $MATRIX/follow.mjs $MATRIX/../../${page}`;
const TYPES_AND_E2E = ['tsc --noEmit', 'npm run test:e2e'];
const TESTS = [...TYPES_AND_E2E, 'npm test'];
const SERVE = 'node $MATRIX/call.mjs dist/main.js';
const BUILD = ['nest build', SERVE];
// migration:generate of TypeORM fails if a table differs from its entity. The database of the application is empty.
const MIGRATE = [
  'typeorm migration:run -d dist/data-source.js',
  'typeorm migration:generate --check -d dist/data-source.js src/migrations/Difference',
  'kit-auth migration:generate | grep "nothing to do: the migrations of the data source contain"',
  'kit-auth doctor | grep "Start the application, which runs the migrations"',
];
// In an application that has the packages, but does not use them.
const INIT = [
  'kit-auth init --yes --no-install',
  'kit-auth init --yes --no-install | grep "nothing to do"',
  'nest build',
  'kit-auth routes | grep "AppController.getHello *token$"',
];
const COMMANDS = 'node $MATRIX/command-line.mjs';
const MESSAGES_11 = [
  'npm install @nestjs/websockets@11 @nestjs/platform-ws@11 @nestjs/platform-socket.io@11 @nestjs/microservices@11 ws',
  'npm install --save-dev socket.io-client@4 @types/ws',
];
const MESSAGES_12 = MESSAGES_11.map((name) => name.replaceAll('@11', ''));
// Both in one process, in both orders, with every entry.
const MIXED = { overlays: ['mixed'], commands: ['node mixed.cjs import', 'node mixed.cjs require'] };

export const rows = {
  'nest-11-start': { make: START_11, commands: [follow('docs/start.md')] },
  'nest-12-start': { make: START_12, commands: [follow('docs/start.md')] },
  'nest-11-init': { make: START_11, commands: INIT },
  'nest-12-init': { make: START_12, commands: INIT },
  'nest-11-jest': {
    make: [...NEST_11, ...MESSAGES_11],
    overlays: ['app', 'session', 'migrations', 'messages'],
    commands: [...TYPES_AND_E2E, ...BUILD, COMMANDS, ...MIGRATE],
  },
  'nest-11-webpack': {
    make: NEST_11,
    overlays: ['app'],
    commands: ['nest build --webpack', SERVE],
  },
  'nest-11-vitest': {
    make: [
      ...NEST_11,
      'npm install @nestjs/platform-fastify@11',
      'npm install --save-dev vitest@4 unplugin-swc @swc/core',
    ],
    overlays: ['app', 'fastify', 'vitest'],
    commands: ['tsc --noEmit', 'vitest run', ...BUILD, COMMANDS],
  },
  'nest-11-node-24': {
    make: [...NEST_11, 'npm install sql.js'],
    overlays: ['app', 'sqljs'],
    node: 24,
    commands: [...TESTS, ...BUILD],
  },
  'nest-12-vitest': {
    make: NEST_12,
    overlays: ['app'],
    commands: [...TYPES_AND_E2E, follow('README.md')],
  },
  'nest-12-jest': {
    make: [
      ...NEST_12,
      'npm install @nestjs/platform-fastify',
      'npm install --save-dev jest ts-jest',
      ...MESSAGES_12,
    ],
    overlays: ['app', 'fastify', 'session', 'migrations', 'jest-esm', 'messages'],
    commands: ['tsc --noEmit', 'NODE_OPTIONS=--experimental-vm-modules jest', ...BUILD, COMMANDS, ...MIGRATE],
  },
  'nest-11-mixed': { make: NEST_11, ...MIXED },
  'nest-11-mixed-node-22': { make: NEST_11, ...MIXED, node: 22 },
  'nest-11-mixed-node-24': { make: NEST_11, ...MIXED, node: 24 },
  'nest-12-mixed': { make: NEST_12, ...MIXED },

  // The oldest of everything.
  'nest-11-jest-29': {
    make: [
      CLI_11,
      'npm install --save-dev jest@29 @types/jest@29 ts-jest@29 typescript@5.7',
      'npm install @nestjs/common@11.0.1 @nestjs/core@11.0.1 @nestjs/platform-express@11.0.1 @nestjs/testing@11.0.1',
      'npm install kit-auth kit-auth-jwt @nestjs/jwt@11.0.0 @nestjs/typeorm@11.0.0 typeorm@0.3.20 sql.js',
      'npm install kit-auth-admin kit-auth-session kit-auth-refresh kit-auth-browser',
      'npm install kit-auth-registration kit-auth-email nodemailer@10',
      'npm install kit-auth-factors kit-auth-oidc kit-auth-passkeys kit-auth-keys kit-auth-issuers kit-auth-languages kit-auth-console kit-auth-sockets kit-auth-jobs',
      'npm install kit-auth-otel @opentelemetry/api@1.9.0',
      'npm install --save-dev kit-auth-testing',
      ...MESSAGES_11.map((name) => name.replaceAll('@11', '@11.0.1').replace('ws@11.0.1', 'ws@11.0.5')),
    ],
    overlays: ['app', 'sqljs', 'node10', 'messages'],
    commands: [...TESTS, ...BUILD],
  },
  'nest-11-typeorm-1': {
    make: [
      CLI_11,
      'npm install',
      'npm install kit-auth kit-auth-jwt @nestjs/jwt@11 @nestjs/typeorm@11 typeorm@1 better-sqlite3',
      ...MORE,
      TOOLS,
    ],
    overlays: ['app', 'session', 'migrations'],
    commands: [...TESTS, ...BUILD],
  },
  'nest-12-typeorm-0.3': {
    make: [
      CLI_12,
      'npm install',
      'npm install kit-auth kit-auth-jwt @nestjs/jwt @nestjs/typeorm typeorm@0.3 better-sqlite3',
      ...MORE,
      TOOLS,
    ],
    overlays: ['app', 'session', 'migrations'],
    commands: [...TESTS, ...BUILD],
  },
  'nest-12-node-22': {
    make: [...NEST_12, 'npm install sql.js'],
    overlays: ['app', 'sqljs', 'session', 'migrations'],
    node: 22,
    commands: [...TESTS, ...BUILD],
  },
  // Jest loads ES modules in CommonJS mode since Node 24.9.
  'nest-12-commonjs': {
    make: [CLI_12_COMMONJS, 'npm install', ...ON_12, TOOLS, 'npm install sql.js'],
    overlays: ['app', 'sqljs'],
    node: 24,
    commands: [...TESTS, ...BUILD],
  },
  nx: {
    make: [CLI_NX, 'npm install --save-dev supertest @types/supertest', ...ON_11, TOOLS],
    into: 'apps/api',
    overlays: ['nx', 'app'],
    commands: [
      "nx test api --testMatch='**/*spec.ts'",
      'nx build api',
      'node $MATRIX/call.mjs dist/apps/api/main.js',
    ],
  },
};
