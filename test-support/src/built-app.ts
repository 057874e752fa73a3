import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from '@jest/globals';

const folders: string[] = [];
afterAll(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/**
 * The folder of an application with built files, for the command line. It is removed after all tests of its context.
 *
 * @param files by their paths. A package.json is added if there is none
 */
export function builtApp(files: Record<string, string>): string {
  const folder = sourceApp({ 'package.json': '{ "name": "app", "type": "module" }', ...files });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Like `builtApp()`, for an application whose dependencies are not installed. */
export function sourceApp(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kit-auth-app-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Calls decorators like compiled code. */
export const DECORATE = `
import 'reflect-metadata';
export function decorate(target, ...decorators) {
  decorators.reverse().forEach((decorate) => decorate(target));
  return target;
}
export function method(target, name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  decorators.reverse().forEach((decorate) => decorate(target.prototype, name, descriptor));
}
`;

/** A secret in which `kit-auth doctor` finds nothing wrong. */
export const APP_SECRET = 'Qm7vZr2KfX9wLs4TnB6yHc1JdPg8RaVeUi3xOt5kYqMz0SbN';

/** The settings of an application, as source code. */
export interface AuthAppParts {
  /** Options of `KitAuthModule.forRoot()`. Default: those without a problem. */
  auth?: string;
  /** Options of `TypeOrmModule.forRoot()`. Default: in memory. */
  database?: string;
  /** The path of its one route, or several. Default: `v1/hello`. */
  controller?: string | string[];
  /** A decorator of the route, such as `Public()`. */
  access?: string;
  /** The modules of its implementation. Default: `KitAuthJwtModule`. */
  implementation?: string;
  files?: Record<string, string>;
}

/** An application with JWTs, users in TypeORM, and one handler. */
export function authApp({
  auth = `jwt: { secret: '${APP_SECRET}' }, defaultAdminPassword: 'a password of its own'`,
  database = "type: 'better-sqlite3', database: ':memory:', synchronize: true",
  controller = 'v1/hello',
  access = '',
  implementation = 'KitAuthJwtModule',
  files = {},
}: AuthAppParts = {}): string {
  return builtApp({
    'dist/decorate.js': DECORATE,
    'dist/app.module.js': `
      import { Controller, Get, Module } from '@nestjs/common';
      import { TypeOrmModule } from '@nestjs/typeorm';
      import { KitAuthModule, Public } from 'kit-auth';
      import { kitAuthMigrations } from 'kit-auth/typeorm';
      import { KitAuthJwtModule } from 'kit-auth-jwt';
      import { decorate, method } from './decorate.js';

      class Hello { get() {} }
      method(Hello, 'get', ${['Get()', access].filter(Boolean).join(', ')});
      decorate(Hello, Controller(${JSON.stringify(controller)}));
      export class AppModule {}
      decorate(AppModule, Module({
        imports: [
          TypeOrmModule.forRoot({ ${database}, autoLoadEntities: true }),
          KitAuthModule.forRoot({ ${auth} }),
          ${implementation}
        ],
        controllers: [Hello],
      }));`,
    ...files,
  });
}
