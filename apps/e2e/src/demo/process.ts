import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from '@jest/globals';
import { bearer, postJson, request, SOURCE_FLAGS, tokenOf } from 'test-support';

export const directory = mkdtempSync(join(tmpdir(), 'kit-auth-demo-'));
const DEFAULTS = {
  PORT: '0',
  DATABASE_URL: `sqlite:${directory}/demo.sqlite`,
  NO_COLOR: '1',
  KIT_AUTH_PASSWORD_COST: '10',
} as const;

export interface Demo {
  process: ChildProcess;
  output: () => string;
  port: number;
}

const ofTest: ChildProcess[] = [];
const ofFile: ChildProcess[] = [];

async function end(children: ChildProcess[]): Promise<void> {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}
afterEach(() => end(ofTest));
afterAll(async () => {
  await end(ofFile);
  rmSync(directory, { recursive: true });
});

/** Runs until the test ends, or all tests of the context where they share it. */
export function launch(environment: Record<string, string>, shared = false): Omit<Demo, 'port'> {
  const child = spawn(process.execPath, [...SOURCE_FLAGS, 'apps/demo/src/main.ts'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...DEFAULTS, ...environment },
  });
  (shared ? ofFile : ofTest).push(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk.toString()));
  child.stderr.on('data', (chunk) => (output += chunk.toString()));
  return { process: child, output: () => output };
}

export async function startDemo(environment: Record<string, string> = {}, shared = false): Promise<Demo> {
  const { process, output } = launch(environment, shared);
  const port = await new Promise<number>((resolve, reject) => {
    process.stdout!.on('data', () => {
      const greeting = /Listening on http:\/\/127\.0\.0\.1:(\d+),[^]*\n\n[^]+\n\n/.exec(output());
      if (greeting) {
        resolve(Number(greeting[1]));
      }
    });
    process.once('close', () => reject(new Error(output())));
  });
  return { process, output, port };
}

/** What some database does not take is refused, with the same answer on all of them. */
export async function expectRefusals(port: number): Promise<void> {
  const token = bearer(await tokenOf(port));
  const get = async (path: string) => (await request(port, path, { headers: [token] })).status;
  const create = async (title: string, text: string) =>
    (await postJson(port, '/v1/notes', { title, text }, [token])).status;
  expect({
    hugePage: await get('/v2/notes?page=99999999999999999999'),
    lastPage: await get('/v2/notes?page=2147483647'),
    hugeId: await get('/v1/notes/99999999999'),
    lastId: await get('/v1/notes/2147483647'),
    title: await create('a\0', 'x'),
    text: await create('a', 'x\0'),
    emoji: await create('\ud83d\ude80'.repeat(200), 'x'),
    sequences: await create('\u2764\ufe0f'.repeat(101), 'x'),
  }).toEqual({
    hugePage: 400,
    lastPage: 200,
    hugeId: 400,
    lastId: 404,
    title: 400,
    text: 400,
    emoji: 201,
    sequences: 400,
  });
}
