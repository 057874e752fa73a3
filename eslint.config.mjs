import prettier from 'eslint-config-prettier';
import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** Which folders of the core each folder may import; the layout of docs/layout.md, enforced. */
const CORE_FOLDERS = {
  contract: [],
  errors: [],
  paths: [],
  config: ['contract', 'errors', 'paths'],
  context: ['contract', 'errors'],
  events: ['contract', 'errors', 'context'],
  access: ['contract', 'errors', 'events'],
  rbac: ['contract', 'errors', 'config', 'events'],
  throttle: ['contract', 'errors', 'context', 'events'],
  provider: ['contract', 'errors', 'events', 'rbac', 'throttle'],
  guard: ['contract', 'errors', 'paths', 'context', 'access', 'provider'],
  login: ['contract', 'errors', 'context', 'access', 'guard', 'provider'],
  account: [
    'contract',
    'errors',
    'context',
    'access',
    'events',
    'guard',
    'login',
    'provider',
    'rbac',
    'throttle',
  ],
  openapi: ['errors'],
  seeding: ['contract', 'errors', 'config', 'rbac'],
};
const KNOW_TYPEORM = ['events', 'rbac', 'seeding'];

/** What an implementation may use of the core. */
const FOR_IMPLEMENTATIONS = [
  'AUTH_PROVIDER',
  'AuthErrorCode',
  'AuthException',
  'AuthProvider',
  'AuthSessions',
  'EndAllOptions',
  'IllegalStateException',
  'KIT_AUTH_SETTINGS',
  'KitAuthSettings',
  'LoginUser',
  'SessionEndReason',
  'SessionInfo',
];

const JWT_LIBRARIES = {
  regex: '^(@nestjs/jwt|jsonwebtoken|jose|fast-jwt)(/|$)',
  message: 'only kit-auth-jwt knows JWT',
};
const TYPEORM = { regex: '^typeorm(/|$)', message: 'only events, rbac and seeding know TypeORM' };
const IMPLEMENTATIONS = { regex: '^kit-auth-', message: 'no package knows an implementation' };

function forbidding(files, ...patterns) {
  return { files, ignores: ['**/*.spec.ts'], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

function coreFolder(folder) {
  const others = Object.keys(CORE_FOLDERS).filter(
    (it) => it !== folder && !CORE_FOLDERS[folder].includes(it),
  );
  return forbidding(
    [`packages/kit-auth/src/${folder}/**/*.ts`],
    JWT_LIBRARIES,
    IMPLEMENTATIONS,
    ...(KNOW_TYPEORM.includes(folder) ? [] : [TYPEORM]),
    {
      group: [...others.map((it) => `../${it}/**`), '../*.js'],
      message: `not from ${folder}, see eslint.config.mjs`,
    },
  );
}

/** What a package may import of kit-auth: names of the contract, from its root. */
function contractOnly(names) {
  const allowed = [...FOR_IMPLEMENTATIONS, ...names].join('|');
  return [
    { ...IMPLEMENTATIONS, regex: '^kit-auth[-/]' },
    { regex: '^kit-auth$', importNamePattern: `^(?!(?:${allowed})$)`, message: 'the contract alone' },
  ];
}

function implementation(name, names, ...patterns) {
  return forbidding([`packages/${name}/src/**/*.ts`], ...contractOnly(names), ...patterns);
}

const unlisted = readdirSync('packages/kit-auth/src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !(entry.name in CORE_FOLDERS))
  .map((entry) => entry.name);
if (unlisted.length > 0) {
  throw new Error(
    `Say in eslint.config.mjs what these folders of the core may import: ${unlisted.join(', ')}`,
  );
}

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', 'apps/demo/data/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Modules and controllers of Nest are classes that may hold nothing.
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // The options of Nest are declared as classes and given as literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // The contract asks for promises; not every implementation has something to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-console': 'error',
    },
  },
  ...Object.keys(CORE_FOLDERS).map(coreFolder),
  forbidding(['packages/kit-auth/src/*.ts'], JWT_LIBRARIES, IMPLEMENTATIONS, TYPEORM),
  implementation('kit-auth-jwt', ['LoginUsers'], {
    regex: '^(@nestjs/)?typeorm(/|$)',
    message: 'a JWT needs no database',
  }),
  implementation(
    'kit-auth-session',
    ['AccountChanges', 'AuthUser', 'KitAuthContext', 'LoginUserRow', 'LoginUsers', 'Statement'],
    JWT_LIBRARIES,
  ),
  forbidding(
    ['packages/kit-auth-admin/src/**/*.ts'],
    { ...IMPLEMENTATIONS, regex: '^kit-auth(-|/(?!openapi$))' },
    JWT_LIBRARIES,
  ),
  forbidding(
    [
      'packages/kit-auth-session/src/!(kit-auth-session.module).ts',
      'packages/kit-auth-session/src/{config,modes,tokens}/*.ts',
    ],
    ...contractOnly(['KitAuthContext', 'LoginUsers']),
    { regex: '^(@nestjs/)?typeorm(/|$)|^redis$|^@redis/', message: 'only stores know databases and Redis' },
    JWT_LIBRARIES,
  ),
  {
    // Tests do on purpose what these rules keep a program from doing by mistake.
    files: ['**/*.spec.ts', 'apps/e2e/**/*.ts'],
    rules: Object.fromEntries(
      [
        ...[
          'no-explicit-any',
          'no-unsafe-argument',
          'no-unsafe-assignment',
          'no-unsafe-call',
          'no-unsafe-return',
        ],
        ...[
          'no-unsafe-member-access',
          'no-unsafe-enum-assignment',
          'no-non-null-assertion',
          'no-base-to-string',
        ],
        ...[
          'only-throw-error',
          'prefer-promise-reject-errors',
          'no-misused-spread',
          'restrict-plus-operands',
        ],
        ...['no-unnecessary-type-parameters'],
      ].map((rule) => [`@typescript-eslint/${rule}`, 'off']),
    ),
  },
  { files: ['apps/demo/src/main.ts', 'apps/bench/src/main.ts'], rules: { 'no-console': 'off' } },
  prettier,
);
