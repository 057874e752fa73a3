/** The choices for the application. */
export interface Choices {
  readonly implementation: Implementation;
  /** `existing`: the application has a data source of TypeORM. */
  readonly database: Database;
  /** `decorated`: only routes with a decorator need a token. */
  readonly protect: Protect;
  readonly extras: readonly Extra[];
}

export type Implementation = 'sessions' | 'jwt';
export type Database = keyof typeof DATABASES | 'existing';
export type Protect = 'all' | 'decorated';
export type Extra = keyof typeof EXTRAS;

/** A module for the list `imports` of the application's module. */
export interface WantedModule {
  readonly name: string;
  readonly from: string;
  /** TypeScript, with single quotes, two spaces and trailing commas. */
  readonly code: string;
  readonly comment?: string;
}

/** A driver, and the options of TypeORM. */
export const DATABASES = {
  sqlite: { driver: 'better-sqlite3', options: "type: 'better-sqlite3',\n  database: 'app.sqlite'" },
  postgres: { driver: 'pg', options: "type: 'postgres',\n  url: process.env['DATABASE_URL']!" },
  mysql: { driver: 'mysql2', options: "type: 'mysql',\n  url: process.env['DATABASE_URL']!" },
  mariadb: { driver: 'mysql2', options: "type: 'mariadb',\n  url: process.env['DATABASE_URL']!" },
} as const;

/** Packages whose modules need no settings. */
export const EXTRAS = {
  admin: { name: 'KitAuthAdminModule', from: 'kit-auth-admin', peers: [] },
  browser: { name: 'KitAuthBrowserModule', from: 'kit-auth-browser', peers: [] },
  keys: { name: 'KitAuthKeysModule', from: 'kit-auth-keys', peers: [] },
  otel: { name: 'KitAuthOtelModule', from: 'kit-auth-otel', peers: ['@opentelemetry/api'] },
  refresh: { name: 'KitAuthRefreshModule', from: 'kit-auth-refresh', peers: [] },
} as const;

/** Packages whose modules need settings that `init` cannot know → their guides. */
export const WITH_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['email', 'password-reset'],
  ['factors', 'second-factor'],
  ['registration', 'registration'],
]);

export const IMPLEMENTATIONS = {
  sessions: { name: 'KitAuthSessionModule', from: 'kit-auth-session' },
  jwt: { name: 'KitAuthJwtModule', from: 'kit-auth-jwt' },
} as const;

export const CORE = { name: 'KitAuthModule', from: 'kit-auth' } as const;
export const TYPEORM = { name: 'TypeOrmModule', from: '@nestjs/typeorm' } as const;

/** The modules in the order in which they are imported. */
export function wantedModules({ implementation, database, protect, extras }: Choices): WantedModule[] {
  const provider = IMPLEMENTATIONS[implementation];
  return [
    ...(database === 'existing' ? [] : [typeOrm(database)]),
    {
      ...CORE,
      code: `KitAuthModule.forRoot({ protect: ${protect === 'all' ? "['/**']" : "'decorated'"} })`,
      comment:
        protect === 'all'
          ? 'every route needs a token, unless it has @Public()'
          : 'only routes with a decorator such as @RequireToken() need a token',
    },
    { ...provider, code: provider.name },
    ...extras.map((extra) => ({ ...EXTRAS[extra], code: EXTRAS[extra].name })),
  ];
}

function typeOrm(database: keyof typeof DATABASES): WantedModule {
  return {
    ...TYPEORM,
    code: `TypeOrmModule.forRoot({
  ${DATABASES[database].options},
  autoLoadEntities: true, // adds the entities of kit-auth
  synchronize: true, // creates the tables; for development only
})`,
  };
}

/** Instructions for files that are not understood. */
export function pasteText(modules: readonly WantedModule[]): string {
  const imports = modules.map(({ name, from }) => `import { ${name} } from '${from}';`);
  const elements = modules.map(({ code, comment }) => {
    const line = `    ${code.replaceAll('\n', '\n    ')},`;
    return comment === undefined ? line : `${line} // ${comment}`;
  });
  return [
    'Add these imports to the file of your root module:',
    '',
    ...imports,
    '',
    'and these modules to its decorator:',
    '',
    '@Module({',
    '  imports: [',
    ...elements,
    '  ],',
    '})',
  ].join('\n');
}
