// Shows that each rule of .dependency-cruiser.mjs can fail, in a temporary workspace of forbidden imports.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import config from '../.dependency-cruiser.mjs';

const CORE = 'packages/kit-auth/src';
const JWT = 'packages/kit-auth-jwt/src';
const SESSION = 'packages/kit-auth-session/src';
const BROWSER = 'packages/kit-auth-browser/src';
const LANGUAGES = 'packages/kit-auth-languages/src';
const OIDC = 'packages/kit-auth-oidc/src';
const PASSKEYS = 'packages/kit-auth-passkeys/src';
const CLI = 'packages/kit-auth-cli/src';
const JOBS = 'packages/kit-auth-jobs/src';
const CONSOLE_PAGE = 'packages/kit-auth-console/page';
const OTEL = 'packages/kit-auth-otel/src';
const SOCKETS = 'packages/kit-auth-sockets/src';
const REGISTRATION = 'packages/kit-auth-registration/src';

/** For each rule: a file and what it must not import. For a cycle: its way back too. */
const FORBIDDEN = {
  'core/errors': [[`${CORE}/errors/x.ts`, '../contract/y.js']],
  'core/diagnostics': [[`${CORE}/diagnostics/x.ts`, '../contract/y.js']],
  'core/contract': [[`${CORE}/contract/x.ts`, '../users/y.js']],
  'core/config': [[`${CORE}/config/x.ts`, '../events/y.js']],
  'core/context': [[`${CORE}/context/x.ts`, '../guard/y.js']],
  'core/routes': [[`${CORE}/routes/x.ts`, '../guard/y.js']],
  'core/ports': [[`${CORE}/ports/x.ts`, '../users/y.js']],
  'core/guard': [[`${CORE}/guard/x.ts`, '../login/y.js']],
  'core/users': [[`${CORE}/users/x.ts`, '../typeorm/users/y.js']],
  'core/login': [[`${CORE}/login/x.ts`, '../throttle/y.js']],
  'core/seeding': [[`${CORE}/seeding/x.ts`, '../events/y.js']],
  'core/throttle': [[`${CORE}/throttle/x.ts`, '../events/y.js']],
  'core/events': [[`${CORE}/events/x.ts`, '../typeorm/users/y.js']],
  'core/account': [[`${CORE}/account/x.ts`, '../index.js']],
  'core/passwords': [[`${CORE}/passwords/x.ts`, '../events/y.js']],
  'core/manager': [[`${CORE}/manager/x.ts`, '../events/y.js']],
  'core/fresh': [[`${CORE}/fresh/x.ts`, '../events/y.js']],
  'core/administration': [[`${CORE}/administration/x.ts`, '../events/y.js']],
  'core/refusals': [[`${CORE}/refusals/x.ts`, '../events/y.js']],
  'core/feature': [[`${CORE}/feature/x.ts`, '../events/y.js']],
  'core/feature/commands': [[`${CORE}/feature/commands/x.ts`, '../../events/y.js']],
  'core/endpoints': [[`${CORE}/endpoints/x.ts`, '../events/y.js']],
  'core/messages': [[`${CORE}/messages/x.ts`, '../events/y.js']],
  'core/route-report': [[`${CORE}/route-report/x.ts`, '../events/y.js']],
  'core/openapi': [[`${CORE}/openapi/x.ts`, '../account/y.js']],
  'core/typeorm/database': [[`${CORE}/typeorm/database/x.ts`, '../users/y.js']],
  'core/typeorm/users': [[`${CORE}/typeorm/users/x.ts`, '../../account/y.js']],
  'core/typeorm/roles': [[`${CORE}/typeorm/roles/x.ts`, '../../throttle/y.js']],
  'core/store/one-time': [[`${CORE}/store/one-time/x.ts`, '../../throttle/y.js']],
  'core/store/second-factor': [[`${CORE}/store/second-factor/x.ts`, '../../events/y.js']],
  'core/tools': [[`${CORE}/tools/x.ts`, '../throttle/y.js']],
  'core/tools/signatures': [[`${CORE}/tools/signatures/x.ts`, '../../throttle/y.js']],
  'core-folder-without-a-rule': [[`${CORE}/index.ts`, './new-folder/y.js']],
  'contract-runs-no-code': [[`${CORE}/contract/x.ts`, '../errors/auth.exception.js']],
  'typeorm-in-its-store': [[`${CORE}/login/x.ts`, 'typeorm']],
  'typeorm-store-on-demand': [[`${CORE}/kit-auth.module.ts`, './typeorm/users/y.js']],
  'class-validator-in-its-entry': [[`${CORE}/account/x.ts`, 'class-validator']],
  'messages-on-demand': [[`${CORE}/guard/x.ts`, '@nestjs/websockets']],
  'core-without-implementations': [[`${CORE}/ports/x.ts`, 'kit-auth-jwt']],
  'packages-apart': [[`${JWT}/x.ts`, 'kit-auth-session']],
  'registration-on-email': [[`${REGISTRATION}/x.ts`, 'kit-auth-session']],
  'public-entries-only': [[`${JWT}/x.ts`, '../../kit-auth/src/guard/y.js']],
  'declared-dependencies': [[`${JWT}/x.ts`, 'redis']],
  'jwt-libraries': [[`${SESSION}/x.ts`, '@nestjs/jwt']],
  'typeorm-in-stores': [[`${SESSION}/modes/x.ts`, '@nestjs/typeorm']],
  'typeorm-sessions-on-demand': [[`${SESSION}/index.ts`, './stores/database.session-store.js']],
  'typeorm-commands-on-demand': [[`${CLI}/main.ts`, './database/x.js']],
  'init-on-demand': [[`${CLI}/main.ts`, './init/x.js']],
  'init-without-kit-auth': [[`${CLI}/init/x.ts`, 'kit-auth']],
  'command-line-in-development': [[`${JWT}/x.ts`, '../../kit-auth/src/cli.js']],
  'redis-in-stores-and-buses': [[`${SESSION}/modes/x.ts`, 'redis']],
  'buses-on-demand': [[`${SOCKETS}/bus/x.ts`, 'redis']],
  'opentelemetry-in-recording': [[`${OTEL}/x.ts`, '@opentelemetry/api']],
  'opentelemetry-on-demand': [[`${OTEL}/index.ts`, './recording/observe.js']],
  'jobs-without-queues': [[`${JOBS}/x.ts`, '@nestjs/microservices']],
  'clients-alone': [
    [`${BROWSER}/client.ts`, './cookies.js'],
    [`${LANGUAGES}/client.ts`, './catalogs.js'],
    [`${OIDC}/client.ts`, './testing.js'],
    [`${PASSKEYS}/client.ts`, './testing.js'],
  ],
  'console-page-alone': [[`${CONSOLE_PAGE}/page.js`, 'kit-auth']],
  'no-cycles': [
    [`${JWT}/cycle.ts`, './back.js'],
    [`${JWT}/back.ts`, './cycle.js'],
  ],
  'no-folder-cycles': [
    [`${SESSION}/modes/y.ts`, '../stores/x.js'],
    [`${SESSION}/stores/y.ts`, '../modes/x.js'],
  ],
  'no-unused-files': [[`${JWT}/x.ts`, './y.js']],
  resolvable: [[`${JWT}/x.ts`, 'kit-auth/dist/guard/y.js']],
};

const workspace = mkdtempSync(join(tmpdir(), 'import-rules-'));
after(() => rmSync(workspace, { recursive: true }));

function write(file, line) {
  mkdirSync(dirname(join(workspace, file)), { recursive: true });
  appendFileSync(join(workspace, file), line);
}

cpSync('tsconfig.base.json', join(workspace, 'tsconfig.base.json'));
for (const name of [
  'kit-auth',
  'kit-auth-browser',
  'kit-auth-cli',
  'kit-auth-console',
  'kit-auth-jobs',
  'kit-auth-jwt',
  'kit-auth-languages',
  'kit-auth-oidc',
  'kit-auth-otel',
  'kit-auth-passkeys',
  'kit-auth-registration',
  'kit-auth-session',
  'kit-auth-sockets',
]) {
  write(`packages/${name}/src/index.ts`, '');
  cpSync(`packages/${name}/package.json`, join(workspace, `packages/${name}/package.json`));
  mkdirSync(join(workspace, 'node_modules'), { recursive: true });
  symlinkSync(join(workspace, 'packages', name), join(workspace, 'node_modules', name));
}
for (const [file, imported] of Object.values(FORBIDDEN).flat()) {
  write(file, `import '${imported}';\n`);
  if (imported.startsWith('.')) {
    write(join(dirname(file), imported).replace(/\.js$/, '.ts'), '');
  } else if (!imported.startsWith('kit-auth')) {
    write(`node_modules/${imported}/index.js`, '');
  }
}

const [depcruise, rules] = ['node_modules/.bin/depcruise', '.dependency-cruiser.mjs'].map((path) =>
  resolve(path),
);
const { stdout } = spawnSync(depcruise, ['--config', rules, '--output-type', 'json', 'packages'], {
  cwd: workspace,
  encoding: 'utf8',
});
const { violations } = JSON.parse(stdout).summary;

for (const { name } of config.forbidden) {
  test(`${name} can fail`, () => {
    assert.ok(name in FORBIDDEN, 'the rule needs an example in this file');
    const importers = FORBIDDEN[name].flatMap(([file]) => [file, dirname(file)]);
    assert.ok(
      violations.some(({ rule, from }) => rule.name === name && importers.includes(from)),
      `accepted: ${FORBIDDEN[name].join(' ')}`,
    );
  });
}
