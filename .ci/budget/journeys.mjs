// Starts the demo from its sources, sends it the requests of each journey, and prints which functions of our packages
// ran: { "<journey>": ["<file>:<offset>", ...] } as the last line. Run it with --conditions=@kit-auth/source.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';
import { register } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

register('../typescript/hooks.mjs', import.meta.url);
Object.assign(process.env, {
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  KIT_AUTH_PASSWORD_COST: '10',
  KIT_AUTH_FACTORS_KEYS: '0'.repeat(64),
});

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = /^(?:file:\/\/)?.*\/(packages\/[^/]+\/src\/.*\.ts)$/;
/** What a request leaves running ends within this time, such as a notice by mail. */
const QUIET_MS = 1500;

const lines = [];
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...rest) => {
  lines.push(String(chunk));
  return process.stderr.write(chunk, ...rest);
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const { readSettings } = await import(`${ROOT}apps/demo/src/settings/settings.ts`);
const { start } = await import(`${ROOT}apps/demo/src/start.ts`);
const { totpCode } = await import(`${ROOT}test-support/src/totp.ts`);
// Old data is deleted at random times within the first minute: at once here, not during a request. Nest takes providers
// for a cycle if their random ids are equal.
const { random } = Math;
Math.random = () => (new Error().stack.includes('periodic.cleaner') ? 0 : random());
const greeting = await start(readSettings(process.env, 'sqlite::memory:'));
Math.random = random;
const [url] = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(greeting);

async function call(method, path, { token, body, status = 200 } = {}) {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== status) {
    throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  }
  return text === '' ? undefined : JSON.parse(text);
}

/** The token of the last mail, as the demo prints it. */
async function mailedToken(kind) {
  for (let tries = 0; tries < 100; tries++) {
    const [, token] = new RegExp(String.raw`#${kind}=([\w.-]+)`).exec(lines.join('')) ?? [];
    if (token !== undefined) {
      lines.length = 0;
      return token;
    }
    await delay(50);
  }
  throw new Error(`the demo has printed no link for ${kind}`);
}

/** The functions that ran since the last call. The one that a whole file counts as is not among them. */
async function functionsRun() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url: script, functions }) => {
    const [, file] = SOURCE.exec(script) ?? [];
    return file === undefined
      ? []
      : functions
          .filter(({ ranges: [{ count, startOffset }] }) => count > 0 && startOffset > 0)
          .map(({ ranges: [{ startOffset }] }) => `${file}:${startOffset}`);
  });
}

const journeys = {};
/** The functions that have run when the next answer is sent. What goes on behind it, such as a mail, does not count. */
function functionsRunAtAnswer() {
  const channel = 'http.server.response.finish';
  return new Promise((resolve) => {
    const sent = () => {
      unsubscribe(channel, sent);
      resolve(functionsRun());
    };
    subscribe(channel, sent);
  });
}

/** Makes the request twice, and counts the second one up to its answer. What is loaded on demand does not count. */
async function journey(name, request, prepare = () => undefined) {
  await request(await prepare());
  const prepared = await prepare();
  await delay(QUIET_MS);
  await functionsRun();
  const counted = functionsRunAtAnswer();
  const answer = await request(prepared);
  journeys[name] = await counted;
  return answer;
}

let password = 'admin';
const logIn = (status) => call('POST', 'api/auth/login', { body: { username: 'admin', password }, status });
const notes = (token) => call('GET', 'notes', { token });

const { token, user } = await journey('login', () => logIn());
await journey('token', () => notes(token));

const body = { name: 'budget', abilities: ['note:read'], days: 1 };
const { key } = await call('POST', 'api/auth/keys', { token, body, status: 201 });
await journey('API key', () => notes(key));

const email = 'admin@example.com';
await call('POST', 'api/auth/email', { token, body: { email }, status: 202 });
const proof = { token: await mailedToken('verify') };
await call('POST', 'api/auth/email/confirm', { token, body: proof, status: 204 });
// Two ways to a link, because an address gets one mail of a kind a minute.
const links = [
  async () => call('POST', 'api/auth/password/forgot', { body: { email }, status: 202 }),
  async () => {
    const administrator = await logIn();
    const path = `api/auth/users/${user.userId}/reset-link`;
    await call('POST', path, { token: administrator.token, status: 202 });
  },
];
await journey(
  'reset',
  (change) => call('POST', 'api/auth/password/reset', { body: change, status: 204 }),
  async () => {
    await links.shift()();
    const resetToken = await mailedToken('reset');
    password = `another passphrase ${Math.random()}`;
    return { token: resetToken, newPassword: password };
  },
);

const login = await logIn();
const own = { token: login.token, status: 201 };
const device = await call('POST', 'api/auth/factors/totp', { ...own, body: { name: 'phone' } });
// Each code is used once. The one before is accepted, but not if its successor's time is over when it arrives.
const STEP_MS = 30_000;
const codeIn = (steps) => totpCode(device.secret, Date.now() + steps * STEP_MS);
const leftMs = STEP_MS - (Date.now() % STEP_MS);
await delay(leftMs < STEP_MS / 3 ? leftMs : 0);
await call('POST', `api/auth/factors/totp/${device.id}/confirm`, {
  token: login.token,
  body: { code: codeIn(-1) },
});
let step = 0;
await journey(
  'second factor',
  (shown) => call('POST', 'api/auth/login/factor', { body: shown }),
  async () => ({ challenge: (await logIn(401)).challenge, factor: 'totp', code: codeIn(step++) }),
);

write(`${JSON.stringify(journeys)}\n`);
process.exit(0);
