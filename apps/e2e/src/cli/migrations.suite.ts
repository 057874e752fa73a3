import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { kitAuthEntities } from 'kit-auth/typeorm';
import { kitAuthEntities as keyEntities } from 'kit-auth-keys/typeorm';
import { kitAuthEntities as sessionEntities } from 'kit-auth-session/typeorm';
import { builtApp, DECORATE, kitAuth } from 'test-support';
import { DataSource, type MixedList, type MigrationInterface } from 'typeorm';
import type { EmptyDatabase, Naming } from '../database/migrations.suite.js';

const FILE = 'dist/migrations/kit-auth.migrations.js';

/** With a table of its own that refers to a user, and that does not exist. */
const OPTIONS = `
import { existsSync } from 'node:fs';
import { AuthUser } from 'kit-auth/typeorm';
import { Entity, ManyToOne, PrimaryColumn } from 'typeorm';

class Order {}
PrimaryColumn({ type: 'int' })(Order.prototype, 'id');
ManyToOne(() => AuthUser)(Order.prototype, 'user');
Entity()(Order);

export async function options() {
  const file = new URL('./migrations/kit-auth.migrations.js', import.meta.url);
  return {
    ...DATABASE,
    entities: [Order],
    autoLoadEntities: true,
    migrations: existsSync(file) ? Object.values(await import(file.href)).flat() : [],
    namingStrategy: globalThis.namingStrategy,
  };
}`;

const MODULE = `
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule } from 'kit-auth';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthSessionModule } from 'kit-auth-session';
import { decorate } from './decorate.js';
import { options } from './options.js';

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRootAsync({ useFactory: options }),
    KitAuthModule.forRoot(),
    KitAuthSessionModule,
    KitAuthKeysModule,
  ],
}));`;

/** From an empty database to one without drift, by the commands alone. */
export function describeCommands(name: string, database: EmptyDatabase, naming: Naming = {}): void {
  describe(`kit-auth migration:generate and migration:run on ${name}`, () => {
    it('writes what makes the tables of the packages that the application uses', async () => {
      await database.recreate();
      const { namingStrategy, ...names } = naming;
      Object.assign(globalThis, { namingStrategy });
      const options = { ...database.options(), ...names };
      const cwd = builtApp({
        'dist/app.module.js': MODULE,
        'dist/decorate.js': DECORATE,
        'dist/options.js': OPTIONS.replace('DATABASE', JSON.stringify(options)),
      });
      expect(await tablesOf(cwd)).toMatchObject({
        status: 'problem',
        findings: [{ cure: expect.stringContaining('npx kit-auth migration:generate') }],
      });

      const first = await kitAuth(['migration:generate', 'dist/migrations', '--js', '--json'], { cwd });
      const entries = ['kit-auth-keys/typeorm', 'kit-auth-session/typeorm', 'kit-auth/typeorm'];
      expect(first.stderr).toBe('');
      expect(JSON.parse(first.stdout)).toEqual({ file: FILE, written: true, entries });
      const second = await kitAuth(['migration:generate', 'dist/migrations', '--js', '--json'], { cwd });
      expect(JSON.parse(second.stdout)).toEqual({ written: false, entries });
      expect(await tablesOf(cwd)).toMatchObject({
        status: 'problem',
        findings: [{ cure: expect.stringContaining('Run the migrations') }],
      });

      const exported = (await import(pathToFileURL(join(cwd, FILE)).href)) as Record<string, unknown[]>;
      const dataSource = await new DataSource({
        ...options,
        ...naming,
        entities: [...kitAuthEntities, ...keyEntities, ...sessionEntities],
        migrations: Object.values(exported).flat() as MixedList<new () => MigrationInterface>,
      }).initialize();
      const ran = await kitAuth(['migration:run', '--json'], { cwd });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect((JSON.parse(ran.stdout) as { ran: string[] }).ran).toHaveLength(6);
      expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
      await dataSource.destroy();
      expect(await tablesOf(cwd)).toEqual({ name: 'tables', status: 'ok', findings: [] });
    });
  });
}

async function tablesOf(cwd: string): Promise<unknown> {
  const { stdout } = await kitAuth(['doctor', '--json'], { cwd });
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  return checks.find(({ name }) => name === 'tables');
}
