import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  Controller,
  type DynamicModule,
  Get,
  type INestApplication,
  Module,
  type Type,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { FastifyInstance } from 'fastify';
import { cpuTimeOfThread } from './measure/cpu.js';
import { exchange } from './measure/exchange.js';
import { spreadOf } from './measure/statistics.js';
import { forgedJwt, jwt, SECRET } from './measure/tokens.js';
import { createApp, HelloController } from './peers/peer.js';

const USAGE = `node compare.js [--limit <ratio>] <checkout> <other checkout>

  What kit-auth-jwt adds to a request on Fastify in two checkouts, in turn, in one process and without a network.
  Build kit-auth and kit-auth-jwt in both before. Both have to load the same copy of Nest.
  --limit   exits with 1 if a kind of request costs more than so many times what it costs in the other checkout, twice`;

const SCENARIOS = ['known tokens', 'new tokens', 'forged tokens', 'no token', 'open route'] as const;
type Scenario = (typeof SCENARIOS)[number];

/** Six orders of three applications, several times: what runs first in a round is slower. */
const ROUNDS = 60;
const WARM_UP_ROUNDS = 12;
const REQUESTS = 500;

interface Subject {
  readonly fastify: FastifyInstance;
  readonly costs: Record<Scenario, number[]>;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { limit: { type: 'string' } } });
const [here, there] = positionals.map((path) => resolve(path));
if (here === undefined || there === undefined) {
  console.error(USAGE);
  process.exit(1);
}
process.env['NODE_ENV'] = 'production';
// As buffers: the text of a token is new with every request, and is hashed then.
const headersOf = (token: (number: number) => string, first = 0) =>
  Array.from({ length: REQUESTS }, (_, i) => Buffer.from(`Bearer ${token(first + i)}`));
const known = headersOf(jwt);
const forged = headersOf(forgedJwt);
const floor = await subjectOf(await createApp(bareModule(), 'fastify'));
const pair = [await subjectOf(await kit(here)), await subjectOf(await kit(there))] as const;
let newTokens = REQUESTS;

const limit = Number(values.limit ?? Infinity);
let tooSlow = await compare();
if (tooSlow.length > 0) {
  console.log('once more, as other processes may have disturbed it:');
  const again = await compare();
  tooSlow = tooSlow.filter((scenario) => again.includes(scenario));
}
if (tooSlow.length > 0) {
  console.error(`more than ${limit} times the cost in ${there}: ${tooSlow.join(', ')}`);
}
process.exit(tooSlow.length > 0 ? 1 : 0);

/** @returns the kinds of requests beyond the limit */
async function compare(): Promise<Scenario[]> {
  const subjects = [floor, ...pair];
  for (const { costs } of subjects) {
    SCENARIOS.forEach((scenario) => (costs[scenario].length = 0));
  }
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const scenario of SCENARIOS) {
      const headers = scenario === 'new tokens' ? headersOf(jwt, newTokens) : known;
      newTokens += REQUESTS;
      for (const subject of inOrder(subjects, round + WARM_UP_ROUNDS)) {
        const cost = await costOf(subject, scenario, headers);
        if (round >= 0) {
          subject.costs[scenario].push(cost);
        }
      }
    }
  }
  return SCENARIOS.filter((scenario) => {
    const bare = medianOf(floor.costs[scenario]);
    const [costs, others] = pair.map((subject) => subject.costs[scenario]) as [number[], number[]];
    const other = medianOf(others) - bare;
    const cost = other + medianOf(costs.map((value, round) => value - (others[round] as number)));
    const ratio = cost / other;
    console.log(
      `${scenario.padEnd(13)} ${cost.toFixed(2)} beside ${other.toFixed(2)} µs, ratio ${ratio.toFixed(2)}` +
        ` (without authentication: ${bare.toFixed(2)})`,
    );
    return ratio > limit;
  });
}

/** Each of the six orders in turn. */
function inOrder(subjects: readonly Subject[], round: number): Subject[] {
  const first = round % subjects.length;
  const turned = [...subjects.slice(first), ...subjects.slice(0, first)];
  return Math.floor(round / subjects.length) % 2 === 0 ? turned : turned.reverse();
}

function medianOf(values: readonly number[]): number {
  return spreadOf(values).median;
}

/** In microseconds a request. */
async function costOf(subject: Subject, scenario: Scenario, headers: readonly Buffer[]): Promise<number> {
  if (scenario === 'known tokens') {
    await run(subject, scenario, headers); // new tokens have taken the place of these
  }
  const before = cpuTimeOfThread();
  await run(subject, scenario, headers);
  return (cpuTimeOfThread() - before) / 1000 / headers.length;
}

async function run({ fastify }: Subject, scenario: Scenario, headers: readonly Buffer[]): Promise<void> {
  const isOpen = scenario === 'open route';
  const sent = scenario === 'forged tokens' ? forged : headers;
  for (const header of sent) {
    const rawHeaders = ['Host', 'localhost'];
    if (!isOpen && scenario !== 'no token') {
      rawHeaders.push('Authorization', header.toString('latin1'));
    }
    await exchange(
      (request, response) => fastify.routing(request, response),
      isOpen ? '/v1/open' : '/v1/hello',
      rawHeaders,
    );
  }
}

async function subjectOf(app: INestApplication): Promise<Subject> {
  await app.init();
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  await fastify.ready();
  return {
    fastify,
    costs: {
      'known tokens': [],
      'new tokens': [],
      'forged tokens': [],
      'no token': [],
      'open route': [],
    },
  };
}

function bareModule(): Type {
  @Module({ controllers: [HelloController] })
  class BareApp {}
  return BareApp;
}

/** The application of a checkout, whose packages bring their own copies of everything but their dependencies. */
async function kit(checkout: string): Promise<INestApplication> {
  const { KitAuthModule, Public } = (await load(checkout, 'kit-auth')) as {
    KitAuthModule: { forRoot(options: object): DynamicModule };
    Public(): MethodDecorator;
  };
  const { KitAuthJwtModule } = (await load(checkout, 'kit-auth-jwt')) as { KitAuthJwtModule: Type };
  @Controller('v1')
  class KitController extends HelloController {
    @Public()
    @Get('open')
    override open() {
      return super.open();
    }
  }
  @Module({
    imports: [
      TypeOrmModule.forRoot({
        type: 'better-sqlite3',
        database: ':memory:',
        autoLoadEntities: true,
        synchronize: true,
      }),
      KitAuthModule.forRoot({ jwt: { secret: SECRET }, password: { cost: 10 } }),
      KitAuthJwtModule,
    ],
    controllers: [KitController],
  })
  class KitApp {}
  return createApp(KitApp, 'fastify');
}

async function load(checkout: string, name: string): Promise<unknown> {
  const file = join(checkout, 'packages', name, 'dist/esm/index.js');
  if (!existsSync(file)) {
    throw new Error(`There is no ${file}: build ${name} first.`);
  }
  return import(pathToFileURL(file).href);
}
