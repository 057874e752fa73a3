import 'reflect-metadata';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CanActivate } from '@nestjs/common';
import { GuardsConsumer } from '@nestjs/core/guards/guards-consumer.js';
import type * as Context from '../../../packages/kit-auth/dist/esm/context/kit-auth.context.js';
import type * as Guard from '../../../packages/kit-auth/dist/esm/guard/auth.guard.js';
import { spreadOf } from './measure/statistics.js';
import { jwt, TOKENS } from './measure/tokens.js';
import type * as Peers from './peers/kit-auth.js';
import type * as JwtPeer from './peers/kit-auth-jwt.js';
import { table } from './report/report.js';

const ROUNDS = 9;
const REQUESTS = 40_000;
const HERE = fileURLToPath(new URL('../../..', import.meta.url));
const CONTEXT = 'packages/kit-auth/dist/esm/context/kit-auth.context.js';
const GUARD = 'packages/kit-auth/dist/esm/guard/auth.guard.js';
const SCENARIOS = ['10,000 tokens', 'new tokens', 'no token', 'open route'] as const;
type Scenario = (typeof SCENARIOS)[number];

interface Build {
  controller: Peers.HelloToUsersController;
  guard: CanActivate;
  openRequestContext: typeof Context.openRequestContext;
  costs: Record<Scenario, number[]>;
}

const USAGE = `node --expose-gc apps/bench/dist/compare.js <checkout>

  Runs the guard of this checkout and of another one in turn, in one process and without HTTP. Differences of a tenth of
  a microsecond show, also on a busy machine. Build both before, with npm run build and npx tsc -p apps/bench.`;

const [, , checkout] = process.argv;
if (checkout === undefined) {
  console.error(USAGE);
  process.exit(1);
}
process.env['NODE_ENV'] = 'production';
const builds = [await load(HERE), await load(resolve(checkout))] as const;
// As buffers: the text of a token is new with every request, and is hashed then.
const known = Array.from({ length: TOKENS }, (_, number) => Buffer.from(`Bearer ${jwt(number)}`));
let count = TOKENS;
for (let round = -1; round < ROUNDS; round++) {
  const fresh = Array.from({ length: REQUESTS / 2 }, () => Buffer.from(`Bearer ${jwt(count++)}`));
  for (const scenario of SCENARIOS) {
    for (const build of round % 2 === 0 ? builds : [...builds].reverse()) {
      const cost = await costOf(build, scenario, scenario === 'new tokens' ? fresh : known);
      if (round >= 0) {
        build.costs[scenario].push(cost);
      }
    }
  }
}
console.log(
  table(
    ['microseconds of CPU a request', 'here', 'there', 'here minus there', 'quartiles'],
    SCENARIOS.map((scenario) => {
      const [here, there] = builds.map(({ costs }) => costs[scenario]) as [number[], number[]];
      const { median, low, high } = spreadOf(here.map((cost, round) => cost - (there[round] as number)));
      const medians = [spreadOf(here).median, spreadOf(there).median, median].map((it) => it.toFixed(2));
      return [scenario, ...medians, `${low.toFixed(2)} to ${high.toFixed(2)}`];
    }),
  ),
);
process.exit();

/** In microseconds a request; the first requests do not count. */
async function costOf(build: Build, scenario: Scenario, tokens: readonly Buffer[]): Promise<number> {
  const requests = scenario === 'new tokens' ? tokens.length : REQUESTS;
  if (scenario !== 'new tokens') {
    await run(build, scenario, tokens, 2 * TOKENS); // new tokens took the place of these
  }
  globalThis.gc?.();
  const before = process.cpuUsage();
  await run(build, scenario, tokens, requests);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

async function load(checkout: string): Promise<Build> {
  const from = (path: string): Promise<unknown> => import(pathToFileURL(join(checkout, path)).href);
  const { HelloToUsersController } = (await from('apps/bench/dist/peers/kit-auth.js')) as typeof Peers;
  const { kitAuthJwt } = (await from('apps/bench/dist/peers/kit-auth-jwt.js')) as typeof JwtPeer;
  const { openRequestContext } = (await from(CONTEXT)) as typeof Context;
  const { AuthGuard } = (await from(GUARD)) as typeof Guard;
  const { app } = await kitAuthJwt('fastify');
  await app.init();
  return {
    controller: app.get(HelloToUsersController),
    guard: app.get(AuthGuard, { strict: false }),
    openRequestContext,
    costs: { '10,000 tokens': [], 'new tokens': [], 'no token': [], 'open route': [] },
  };
}

async function run(
  build: Build,
  scenario: Scenario,
  tokens: readonly Buffer[],
  requests: number,
): Promise<void> {
  const { controller, guard, openRequestContext } = build;
  const consumer = new GuardsConsumer();
  const isOpen = scenario === 'open route';
  // eslint-disable-next-line @typescript-eslint/unbound-method -- compared, never called
  const handler = isOpen ? controller.open : controller.hello;
  const url = isOpen ? '/v1/open' : '/v1/hello';
  const response = {
    destroyed: false,
    hasHeader: () => false,
    headersSent: false,
    once: () => undefined,
    setHeader: () => undefined,
  };
  for (let i = 0; i < requests; i++) {
    const authorization = tokens[i % tokens.length] as Buffer;
    const rawHeaders = ['Host', 'localhost'];
    if (!isOpen && scenario !== 'no token') {
      rawHeaders.push('Authorization', authorization.toString('latin1'));
    }
    const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' };
    const request = {
      url,
      originalUrl: url,
      routeOptions: { url },
      raw: { rawHeaders },
      headers: {},
      socket,
    };
    await new Promise<void>((resolve) => {
      openRequestContext(request, response, () => {
        consumer
          .tryActivate([guard], [request, response], controller, handler, 'http')
          .then(() => resolve(), resolve);
      });
    });
  }
}
