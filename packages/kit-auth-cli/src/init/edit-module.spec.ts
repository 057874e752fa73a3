import { describe, expect, it } from '@jest/globals';
import { editModule } from './edit-module.js';
import { type Choices, wantedModules } from './wanted.js';

const CHOICES: Choices = { implementation: 'sessions', database: 'existing', protect: 'all', extras: [] };

function edit(text: string, choices: Partial<Choices> = {}, className?: string): string {
  return editModule(text, { shown: 'app.module.ts', className }, wantedModules({ ...CHOICES, ...choices }))
    .text;
}

const KIT = "KitAuthModule.forRoot({ protect: ['/**'] })";
const COMMENT = '// every route needs a token, unless it has @Public()';
const IMPORTS = `import { KitAuthModule } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';`;

/** The file of a module with this argument of the decorator. */
function moduleWith(metadata: string, more = ''): string {
  return `import { Module } from '@nestjs/common';\n${more}\n@Module(${metadata})\nexport class AppModule {}\n`;
}

describe('the file of a root module', () => {
  it('gets a data source, in the style of the others', () => {
    expect(edit(moduleWith('{\n  imports: [],\n}'), { database: 'postgres', extras: ['admin'] })).toBe(
      `import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
${IMPORTS}
import { KitAuthAdminModule } from 'kit-auth-admin';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env['DATABASE_URL']!,
      autoLoadEntities: true, // adds the entities of kit-auth
      synchronize: true, // creates the tables; for development only
    }),
    ${KIT}, ${COMMENT}
    KitAuthSessionModule,
    KitAuthAdminModule,
  ],
})
export class AppModule {}
`,
    );
  });

  it.each([
    ['no metadata', '{}', `{\n  imports: [\n    KIT,\n    SESSIONS,\n  ],\n}`],
    [
      'no imports',
      '{\n  // mine\n  providers: [],\n}',
      '{\n  imports: [\n    KIT,\n    SESSIONS,\n  ],\n  // mine\n  providers: [],\n}',
    ],
    [
      'no imports, in one line',
      '{ providers: [A], controllers: [] }',
      '{\n  imports: [\n    KIT,\n    SESSIONS,\n  ],\n  providers: [A],\n  controllers: [],\n}',
    ],
    [
      'no imports, in one line with a comment',
      '{ providers: [A] /* why */, controllers: [] }',
      '{\n  imports: [\n    KIT,\n    SESSIONS,\n  ],\n  providers: [A] /* why */, controllers: [] }',
    ],
    [
      'imports in one line',
      '{\n  imports: [A, B.forRoot({ a: [1] })],\n}',
      '{\n  imports: [\n    A,\n    B.forRoot({ a: [1] }),\n    KIT,\n    SESSIONS,\n  ],\n}',
    ],
    [
      'imports in one line with a comment',
      '{\n  imports: [A, /* why */ B],\n}',
      '{\n  imports: [A, /* why */ B,\n    KIT,\n    SESSIONS,\n  ],\n}',
    ],
    [
      'a comment below the last module',
      '{\n  imports: [\n    A,\n    // B,\n  ],\n}',
      '{\n  imports: [\n    A,\n    KIT,\n    SESSIONS,\n    // B,\n  ],\n}',
    ],
    [
      'no trailing commas',
      '{\n  imports: [\n    A\n  ]\n}',
      '{\n  imports: [\n    A,\n    KIT,\n    SESSIONS\n  ]\n}',
    ],
    [
      'a comment behind the last module, without a comma',
      '{\n  imports: [\n    A // last\n  ]\n}',
      '{\n  imports: [\n    A, // last\n    KIT,\n    SESSIONS\n  ]\n}',
    ],
    ['tabs', '{\n\timports: [\n\t\tA,\n\t],\n}', '{\n\timports: [\n\t\tA,\n\t\tKIT,\n\t\tSESSIONS,\n\t],\n}'],
    [
      'a quoted key',
      "{\n  'imports': [A],\n}",
      "{\n  'imports': [\n    A,\n    KIT,\n    SESSIONS,\n  ],\n}",
    ],
  ])('is changed with %s', (_what, before, after) => {
    const expected = after.replace('KIT,', `${KIT}, ${COMMENT}`).replace('SESSIONS', 'KitAuthSessionModule');
    const changed = edit(moduleWith(before));
    expect(changed).toContain(`@Module(${expected})`);
    expect(changed).toContain(`from '@nestjs/common';\n${IMPORTS}\n`);
    expect(edit(changed)).toBe(changed);
  });

  it('keeps double quotes, no semicolons, no spaces in braces, and line breaks of Windows', () => {
    const before = moduleWith('{\n  imports: []\n}')
      .replace("{ Module } from '@nestjs/common';", '{Module} from "@nestjs/common"')
      .replaceAll('\n', '\r\n');
    const changed = edit(before, { database: 'sqlite' });
    expect(changed.replaceAll('\r\n', '')).not.toContain('\n');
    expect(changed).toContain('import {KitAuthModule} from "kit-auth"\r\n');
    expect(changed).toContain('protect: ["/**"]');
    expect(changed).toContain(
      '      synchronize: true // creates the tables; for development only\r\n    }),\r\n',
    );
    expect(changed).toContain('    KitAuthSessionModule\r\n  ]\r\n}');
  });

  it('puts imports behind those of packages', () => {
    const more = "import { A } from 'a';\nimport { B } from '~/b';\nimport { C } from './c';\n";
    expect(edit(moduleWith('{}', more))).toContain(
      `import { A } from 'a';\n${IMPORTS}\nimport { B } from '~/b';\nimport { C } from './c';`,
    );
  });

  it('gets a data source beside entities', () => {
    const more = "import { TypeOrmModule } from '@nestjs/typeorm';\n";
    const text = moduleWith('{\n  imports: [TypeOrmModule.forFeature([A])],\n}', more);
    expect(edit(text, { database: 'mysql' })).toContain(
      "    TypeOrmModule.forFeature([A]),\n    TypeOrmModule.forRoot({\n      type: 'mysql',",
    );
  });

  it('puts imports before code in the same line', () => {
    const text = moduleWith('{}').replace("common';\n", "common'; /* a\n b */");
    expect(edit(text)).toContain(`from '@nestjs/common';\n${IMPORTS} /* a\n b */`);
  });

  it('adds names to an import of the package', () => {
    const more = "import { CurrentUser } from 'kit-auth';\n";
    expect(edit(moduleWith('{}', more))).toContain("import { CurrentUser, KitAuthModule } from 'kit-auth';");
  });

  it('keeps the options of kit-auth, and adds what lacks', () => {
    const more = "import { KitAuthModule as Auth } from 'kit-auth';\n";
    const changed = edit(moduleWith("{\n  imports: [Auth.forRoot({ protect: 'decorated' })],\n}", more));
    expect(changed).toContain("    Auth.forRoot({ protect: 'decorated' }),\n    KitAuthSessionModule,\n");
    expect(changed).not.toContain('KitAuthModule.forRoot');
  });

  it('replaces the implementation', () => {
    const sessions = edit(moduleWith('{\n  imports: [\n    A,\n  ],\n}'));
    const jwt = edit(sessions, { implementation: 'jwt' });
    expect(jwt).toBe(
      sessions
        .replaceAll('KitAuthSessionModule', 'KitAuthJwtModule')
        .replace('kit-auth-session', 'kit-auth-jwt'),
    );
    expect(edit(jwt)).toBe(sessions);
  });

  it.each([
    ["{ type: 'mysql' }", "{ type: 'mysql', autoLoadEntities: true }"],
    ["{\n      type: 'mysql',\n    }", "{\n      type: 'mysql',\n      autoLoadEntities: true,\n    }"],
    ["{ type: 'mysql', autoLoadEntities: false }", "{ type: 'mysql', autoLoadEntities: false }"],
    [
      "{\n      type: 'mysql',\n      // autoLoadEntities: true,\n    }",
      "{\n      type: 'mysql',\n      autoLoadEntities: true,\n      // autoLoadEntities: true,\n    }",
    ],
    [
      "{ name: 'reports', type: 'mysql' }), TypeOrmModule.forRoot(options",
      "{ name: 'reports', type: 'mysql' }), TypeOrmModule.forRoot(options",
    ],
    ['options', 'options'],
  ])('loads the entities in an existing data source: %s', (before, after) => {
    const more = "import { TypeOrmModule } from '@nestjs/typeorm';\n";
    const list = (options: string) => `imports: [\n    TypeOrmModule.forRoot(${options}),`;
    expect(edit(moduleWith(`{\n  ${list(before)}\n  ],\n}`, more))).toContain(list(after));
  });

  it('changes an item of imports in one line', () => {
    const more = "import { TypeOrmModule } from '@nestjs/typeorm';\n";
    expect(edit(moduleWith("{ imports: [A, TypeOrmModule.forRoot({ type: 'mysql' })] }", more))).toContain(
      "imports: [\n  A,\n  TypeOrmModule.forRoot({ type: 'mysql', autoLoadEntities: true }),\n  KitAuthModule",
    );
  });

  const IMPORT = "import { KitAuthModule } from 'kit-auth';\n";
  const SESSIONS = "import { KitAuthSessionModule } from 'kit-auth-session';\n";
  it.each([
    ['no module', 'export class AppModule {}', 'has no class with the decorator @Module()'],
    [
      'another decorator Module',
      "import { Module } from './di';\n@Module({})\nexport class AppModule {}",
      'has no class with the decorator @Module()',
    ],
    [
      'two modules',
      `${moduleWith('{}')}@Module({}) class Other {}`,
      'has several modules: AppModule, Other. Name one: --module=app.module.ts#<name>',
    ],
    ['metadata in a constant', moduleWith('metadata'), 'is not an object literal'],
    ['a spread in the metadata', moduleWith('{ ...base }'), 'has the spread of another object'],
    ['imports in a constant', moduleWith('{ imports }'), 'are not an array literal'],
    ['a syntax error', moduleWith('{ imports: [A B] }'), 'line 3, has a syntax error'],
    [
      'a dynamic root module',
      moduleWith('{}').replace('{}\n', '{ static register() { return { module: AppModule }; } }\n'),
      'AppModule has a method that makes a dynamic module',
    ],
    [
      'only data sources with a name',
      moduleWith(
        "{ imports: [TypeOrmModule.forRoot({ name: 'reports' })] }",
        "import { TypeOrmModule } from '@nestjs/typeorm';\n",
      ),
      'kit-auth needs a data source of TypeORM without a name',
    ],
    [
      'KitAuthModule in a constant',
      moduleWith('{ imports: [auth] }', `${IMPORT}const auth = KitAuthModule.forRoot();\n`),
      'uses KitAuthModule in another way',
    ],
    [
      'a class of its own with the name',
      `${moduleWith('{}')}class KitAuthSessionModule {}\n`,
      'uses the name KitAuthSessionModule for something else',
    ],
    [
      'KitAuthModule twice',
      moduleWith('{ imports: [KitAuthModule.forRoot(), KitAuthModule.forRoot()] }', IMPORT),
      'uses KitAuthModule in another way',
    ],
  ])('is not understood with %s', (_what, text, message) => {
    expect(() => edit(text)).toThrow(message);
  });

  it('is not changed where options of the implementation would be lost', () => {
    const text = moduleWith('{ imports: [KitAuthSessionModule.forRoot({ timeoutMinutes: 5 })] }', SESSIONS);
    expect(edit(text)).toContain('timeoutMinutes: 5');
    expect(() => edit(text, { implementation: 'jwt' })).toThrow('imports KitAuthSessionModule with options');
    const refresh =
      "import { KitAuthJwtModule } from 'kit-auth-jwt';\nimport { KitAuthRefreshModule } from 'kit-auth-refresh';\n";
    expect(() => edit(moduleWith('{ imports: [KitAuthJwtModule, KitAuthRefreshModule] }', refresh))).toThrow(
      'KitAuthRefreshModule, which does not work with KitAuthSessionModule',
    );
  });

  it('is chosen by the name of its class', () => {
    const text = `${moduleWith('{}')}@Module({})\nexport class Other {}\n`;
    expect(edit(text, {}, 'Other')).toMatch(/@Module\(\{\}\)\nexport class AppModule/);
    expect(() => edit(text, {}, 'Nobody')).toThrow('has no class Nobody with the decorator @Module()');
  });
});
