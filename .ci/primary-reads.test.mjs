// Shows that the rule kit-auth/primary-reads can fail.
import { after, describe, it } from 'node:test';
import { RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { primaryReads } from './primary-reads.mjs';

Object.assign(RuleTester, { describe, it, itOnly: it.only, afterAll: after });

const TYPES = `
  declare class EntityManager { find(): void; update(): void; query(): void }
  declare class Repository { manager: EntityManager; findOneBy(): void; update(): void }
  declare class DataSource { manager: EntityManager; createQueryBuilder(): void; query(): void }
  declare const [dataSource, users, manager]: [DataSource, Repository | undefined, EntityManager];
  declare function dataSourceOf(manager: EntityManager): DataSource;
  declare function read(work: (manager: EntityManager) => void): void;
`;
const inTypeScript = (code) => ({ code: TYPES + code, filename: 'file.ts' });

new RuleTester({
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: {
      projectService: { allowDefaultProject: ['*.ts'] },
      tsconfigRootDir: import.meta.dirname,
    },
  },
}).run('primary-reads', primaryReads, {
  valid: [
    'read((manager) => manager.find())',
    'manager.find()',
    'users.update()',
    'dataSource.manager.update()',
    'dataSource.query()',
    'dataSourceOf(users.manager)',
  ].map(inTypeScript),
  invalid: [
    'users.findOneBy()',
    'users?.findOneBy()',
    'users.manager.find()',
    'dataSource.manager.find()',
    'dataSource.createQueryBuilder()',
    'read(() => dataSource.manager)',
    'const { manager: replica } = dataSource',
    "import { InjectEntityManager } from '@nestjs/typeorm'",
  ].map((code) => ({ ...inTypeScript(code), errors: 1 })),
});
