import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RouteAccess } from 'kit-auth';
import { authApp, builtApp, DECORATE, kitAuth } from 'test-support';

const MODULE = `
import { Controller, Delete, Get, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, Public, RequirePermissions } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate, method } from './decorate.js';

class Notes { list() {} remove() {} }
method(Notes, 'list', Get(), Public());
method(Notes, 'remove', Delete(':id'), RequirePermissions('note:write', 'note:read'));
decorate(Notes, Controller('v1/notes'));

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true, synchronize: true }),
    KitAuthModule.forRoot({ OPTIONS }),
    KitAuthJwtModule,
  ],
  controllers: [Notes],
}));
`;

const app = (options = '') =>
  builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE.replace('OPTIONS', options) });

describe('kit-auth routes', () => {
  it('needs no database', async () => {
    const cwd = authApp({ database: "type: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none'" });
    const { code, stdout, stderr } = await kitAuth(['routes'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^GET +\/v1\/hello +Hello\.get +token$/m);
  });

  it('creates no tables', async () => {
    const database = join(builtApp({ 'app.sqlite': '' }), 'app.sqlite');
    const cwd = authApp({ database: `type: 'better-sqlite3', database: '${database}', synchronize: true` });
    expect((await kitAuth(['routes'], { cwd })).code).toBe(0);
    expect(statSync(database).size).toBe(0);
  });

  it('lists the routes and what they require', async () => {
    const { code, stdout, stderr } = await kitAuth(['routes'], { cwd: app() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^METHOD +PATH +HANDLER +ACCESS$/m);
    expect(stdout).toMatch(/^GET +\/v1\/notes +Notes\.list +open by @Public$/m);
    expect(stdout).toMatch(
      /^DELETE +\/v1\/notes\/:id +Notes\.remove +token; permission note:write and note:read$/m,
    );
  });

  it('tells that kit-auth is off', async () => {
    const { code, stderr } = await kitAuth(['routes'], { cwd: app('enabled: false') });
    expect(code).toBe(0);
    expect(stderr).toContain('kit.auth.enabled is false, so no request is checked');
  });
});

const MESSAGES = `
import { Controller } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { AUTH_MESSAGES, Public, RequireRoles } from 'kit-auth';
import { decorate, method } from './decorate.js';

class Chat { say() {} mute() {} ping() {} }
method(Chat, 'say', SubscribeMessage('say'));
method(Chat, 'mute', SubscribeMessage('mute'), RequireRoles('moderator'));
method(Chat, 'ping', SubscribeMessage('ping'), Public());
decorate(Chat, WebSocketGateway());
class Invoices { create() {} paid() {} }
method(Invoices, 'create', MessagePattern({ cmd: 'create' }), RequireRoles('billing'));
method(Invoices, 'paid', EventPattern(['paid', 'paid-late']));
decorate(Invoices, Controller());

export const controllers = [Invoices];
export const providers = [Chat, SOURCE];
`;

describe('kit-auth routes with messages', () => {
  const withMessages = (source: string) =>
    builtApp({
      'dist/decorate.js': DECORATE,
      'dist/messages.js': MESSAGES.replace('SOURCE', source),
      'dist/app.module.js': MODULE.replace('OPTIONS', '')
        .replace('controllers: [Notes]', 'controllers: [Notes, ...controllers], providers')
        .replace(
          'import { decorate',
          "import { controllers, providers } from './messages.js';\nimport { decorate",
        ),
    });
  /** The last rows. */
  async function rowsOf(cwd: string): Promise<string[]> {
    const { code, stdout, stderr } = await kitAuth(['routes'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout
      .trimEnd()
      .split('\n')
      .slice(-6)
      .map((line) => line.replace(/ {2,}/g, ' | '));
  }

  it('lists them, and says which handlers refuse every message', async () => {
    expect(await rowsOf(withMessages(''))).toEqual([
      'WS | say | Chat.say | open by default',
      'WS | mute | Chat.mute | refuses every message; role moderator',
      'WS | ping | Chat.ping | open by @Public',
      'RPC | {"cmd":"create"} | Invoices.create | refuses every message; role billing',
      'RPC | paid | Invoices.paid | open by default',
      'RPC | paid-late | Invoices.paid | open by default',
    ]);
  });

  it('knows of the module that knows their users', async () => {
    const cwd = withMessages(
      "{ provide: AUTH_MESSAGES, useValue: { types: ['ws'], principalOf: () => undefined } }",
    );
    expect((await rowsOf(cwd)).slice(0, 4)).toEqual([
      'WS | say | Chat.say | as its connection or sender',
      'WS | mute | Chat.mute | token; role moderator',
      'WS | ping | Chat.ping | open by @Public',
      'RPC | {"cmd":"create"} | Invoices.create | refuses every message; role billing',
    ]);
    const { stdout } = await kitAuth(['routes', '--json'], { cwd });
    expect(JSON.parse(stdout)).toContainEqual({
      method: 'WS',
      path: 'mute',
      handler: 'Chat.mute',
      decision: 'token',
      requires: [{ kind: 'role', names: ['moderator'], mode: 'all' }],
      explicit: true,
    });
  });
});

describe('kit-auth routes --check', () => {
  async function keptIn(cwd: string, change = (routes: RouteAccess[]) => routes): Promise<string> {
    const { stdout } = await kitAuth(['routes', '--json'], { cwd });
    writeFileSync(join(cwd, 'routes.json'), JSON.stringify(change(JSON.parse(stdout) as RouteAccess[])));
    return cwd;
  }
  const check = (cwd: string, ...more: string[]) =>
    kitAuth(['routes', '--check', 'routes.json', ...more], { cwd });

  it('finds no differences in what it has printed itself', async () => {
    expect(await check(await keptIn(app()))).toEqual({ code: 0, stdout: 'No differences.\n', stderr: '' });
  });

  it('lists what was added, removed and changed, and exits with 1', async () => {
    const cwd = await keptIn(app(), (routes) =>
      routes
        .filter(({ path }) => path !== '/v1/notes')
        .map((route) => (route.path === '/v1/notes/:id' ? { ...route, requires: [] } : route))
        .concat({ method: 'GET', path: '/old', handler: 'Old.get', decision: 'token', explicit: false }),
    );
    expect(await check(cwd)).toEqual({
      code: 1,
      stdout: [
        'added    GET /v1/notes: open by @Public',
        'removed  GET /old: token',
        'changed  DELETE /v1/notes/:id',
        '         before: token',
        '         now:    token; permission note:write and note:read',
        '3 differences.\n',
      ].join('\n'),
      stderr: 'If this is intended, write the file again: npx kit-auth routes --json > routes.json\n',
    });
    const { code, stdout } = await check(cwd, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      added: [{ path: '/v1/notes' }],
      removed: [{ path: '/old' }],
      changed: [{ before: { requires: [] }, after: { requires: [{ kind: 'permission' }] } }],
    });
  });

  it('tells routes of the same path apart by their handlers', async () => {
    const cwd = await keptIn(app(), (routes) =>
      routes.concat({ ...routes.find(({ path }) => path === '/v1/notes')!, handler: 'Other.list' }),
    );
    const { stdout } = await check(cwd);
    expect(stdout).toBe('removed  GET /v1/notes: open by @Public\n1 difference.\n');
  });

  it('does not mind another name of a handler', async () => {
    const cwd = await keptIn(app(), (routes) =>
      routes.map((route) => ({ ...route, handler: `Renamed.${route.handler}` })),
    );
    expect((await check(cwd)).code).toBe(0);
  });

  it('reads what Windows PowerShell writes', async () => {
    const cwd = app();
    const { stdout } = await kitAuth(['routes', '--json'], { cwd });
    writeFileSync(join(cwd, 'routes.json'), `\ufeff${stdout}`, 'utf16le');
    expect((await check(cwd)).code).toBe(0);
  });

  it.each([
    [
      'is missing',
      undefined,
      'There is no file routes.json. Write it with: npx kit-auth routes --json > routes.json',
    ],
    ['is the table', 'METHOD  PATH', 'routes.json is not a list that `kit-auth routes --json` has printed.'],
    ['is another list', '[{ "path": "/" }]', 'routes.json is not a list'],
    ['is empty', '', 'routes.json is not a list'],
  ])('exits with 2 if the file %s', async (_what, text, message) => {
    const cwd = builtApp(text === undefined ? {} : { 'routes.json': text });
    const { code, stdout, stderr } = await check(cwd);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});
