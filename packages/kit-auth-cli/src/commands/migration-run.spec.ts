import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { authApp, kitAuth } from 'test-support';

const MIGRATIONS = {
  'dist/migrations.js': `
    export class Orders1700000000000 {
      async up(queryRunner) { await queryRunner.query('CREATE TABLE orders (id int)'); }
      async down() {}
    }
    export class Broken1999999999999 {
      async up(queryRunner) { await queryRunner.query('CREATE NONSENSE'); }
      async down() {}
    }`,
};

/** An application with an SQLite file, and a migration of its own. */
function appWith(migrations: string, options = ''): string {
  const database = `
    type: 'better-sqlite3', database: import.meta.dirname + '/app.sqlite', logger: 'debug', ${options}
    migrations: [${migrations}].flat()`;
  return authApp({ database, files: MIGRATIONS });
}

const OWN = "(await import('./migrations.js'))";
const ALL = `kitAuthMigrations, ${OWN}.Orders1700000000000`;

function run(cwd: string, ...argv: string[]) {
  return kitAuth(['migration:run', ...argv], { cwd });
}

async function pendingOf(cwd: string): Promise<string[]> {
  const { stdout } = await run(cwd, '--dry-run', '--json');
  return (JSON.parse(stdout) as { pending: string[] }).pending;
}

describe('kit-auth migration:run', () => {
  it('runs the migrations of the application and of kit-auth in their order', async () => {
    const cwd = appWith(ALL);
    const dry = await run(cwd, '--dry-run');
    expect(dry).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^pending {2}Orders1700000000000\npending {2}KitAuth\w*\d{13}\n(pending .*\n)*\d migrations pending\. Nothing was changed\.\n$/,
      ),
      stderr: '',
    });
    expect(existsSync(join(cwd, 'dist/app.sqlite'))).toBe(false);
    const first = await run(cwd);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe(
      dry.stdout.replaceAll('pending  ', 'done  ').replace(/(\d migrations) pending.*\n/, 'Ran $1.\n'),
    );
    const second = await run(cwd);
    expect(second.stdout).toMatch(/^There is nothing to do: all migrations have run\.\n$/);
    expect(JSON.parse((await run(cwd, '--json')).stdout)).toEqual({ ran: [], pending: [] });
    const { stdout } = await kitAuth(['user', 'list', '--json'], { cwd });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('is not preceded by synchronize', async () => {
    const cwd = appWith(ALL, 'synchronize: true, dropSchema: true,');
    const { code, stdout } = await run(cwd, '--json');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { ran: string[] }).ran).toContain('Orders1700000000000');
  });

  it('names the migration that fails, and those that are pending', async () => {
    const each = appWith(`${ALL}, ${OWN}.Broken1999999999999`, "migrationsTransactionMode: 'each',");
    const { code, stdout, stderr } = await run(each);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The migration Broken1999999999999 has failed: QueryFailedError');
    expect(stderr).toContain('\nPending: Broken1999999999999\n');
    expect(stderr).not.toMatch(/^ +at /m);
    expect(await pendingOf(each)).toEqual(['Broken1999999999999']);

    const together = appWith(`${ALL}, ${OWN}.Broken1999999999999`);
    const before = await pendingOf(together);
    expect((await run(together)).stderr).toContain(`\nPending: ${before.join(', ')}\n`);
    expect(await pendingOf(together)).toEqual(before);
  });

  it('tells of packages whose migrations the data source lacks', async () => {
    const { code, stdout, stderr } = await run(appWith(`${OWN}.Orders1700000000000`));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done  Orders1700000000000\nRan 1 migration.\n' });
    expect(stderr).toBe(
      'Note: the data source has no migrations of kit-auth/typeorm. `kit-auth migration:generate` writes them.\n',
    );
  });

  it('says why a database cannot be reached', async () => {
    const cwd = authApp({
      database:
        "type: 'postgres', host: '127.0.0.1', port: 1, retryAttempts: 0, migrations: kitAuthMigrations",
    });
    expect(await run(cwd)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/The database cannot be reached: .*ECONNREFUSED/),
    });
  });
});
