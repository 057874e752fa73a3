// Runs commands of `kit-auth` in a built application, as users do: node command-line.mjs
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const env = { ...process.env, DATABASE: 'command-line.sqlite' };

function kitAuth(args, { code = 0, input = '', cwd = '.' } = {}) {
  const result = spawnSync('kit-auth', args, { cwd, env, input, encoding: 'utf8' });
  if (result.status !== code) {
    throw new Error(
      `kit-auth ${args.join(' ')} exited with ${result.status}:\n${result.stdout}${result.stderr}`,
    );
  }
  console.log(`ok: kit-auth ${args.join(' ')}`);
  return result;
}

function check(holds, what, actual) {
  if (!holds) {
    throw new Error(`${what}. Found: ${JSON.stringify(actual, undefined, 2)}`);
  }
  console.log(`ok: ${what}`);
}

const json = (args, options) => JSON.parse(kitAuth([...args, '--json'], options).stdout);

const routes = json(['routes']);
const access = (method, path) => routes.find((route) => route.method === method && route.path === path);
check(access('GET', '/')?.decision === 'open by @Public', 'GET / is open', routes);
check(
  access('DELETE', '/v1/notes')?.requires[0].names[0] === 'note:delete',
  'DELETE has its permission',
  routes,
);
check(access('POST', '/v1/api/auth/keys') !== undefined, 'routes of packages are listed', routes);

writeFileSync('routes.json', JSON.stringify(routes.filter(({ path }) => path !== '/')));
const { stdout } = kitAuth(['routes', '--check', 'routes.json'], { code: 1 });
check(stdout.startsWith('added    GET /: open by @Public\n'), 'a new route is a difference', stdout);

const { id } = json(['user', 'create', 'alice', '--password-stdin'], { input: 'correct horse battery\n' });
check(Number.isInteger(id), 'a user is created', id);
const [{ answer, user }] = json(['explain', 'alice', 'DELETE', '/v1/notes']);
check(user.userId === id && answer.code === 40300, 'the user lacks a permission', answer);
check(json(['keys', 'list', 'alice']).length === 0, 'commands of packages run', 'keys');

const { checks } = json(['doctor'], { code: 0 });
const problems = checks.filter(({ status }) => status === 'problem');
check(checks.length > 5 && problems.length === 0, 'the doctor finds no problem', checks);

const empty = mkdtempSync(join(tmpdir(), 'kit-auth-empty-'));
try {
  writeFileSync(join(empty, 'package.json'), '{}');
  const { stderr } = kitAuth(['routes'], { cwd: empty, code: 2 });
  check(
    stderr.includes('dist/**/app.module.js'),
    'without an application, it says what it looked for',
    stderr,
  );
} finally {
  rmSync(empty, { recursive: true });
}
