import 'reflect-metadata';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
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

const USAGE = `node --expose-gc compare.js [--limit <ratio>] [--rounds <count>] <module> <other module>

  What kit-auth-jwt adds to a request on Fastify in two versions, side by side in one process and without a network. Each
  module has the exports of kit-auth and of kit-auth-jwt. Both have to load the same copy of Nest.
  --limit   exits with 1 if a kind of request costs more than so many times what it costs with the other, twice`;

const SCENARIOS = ['known tokens', 'forged tokens', 'no token', 'open route'] as const;
type Scenario = (typeof SCENARIOS)[number];

/** So few that most slices are over before another process gets the core. */
const REQUESTS = 60;
const WARM_UP_ROUNDS = 150;

/** An application, or several with copies of the same code. */
interface Subject {
  readonly fastify: FastifyInstance;
  readonly costs: Record<Scenario, number[]>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string' }, rounds: { type: 'string', default: '500' } },
});
const [here, there] = positionals.map((path) => pathToFileURL(resolve(path)).href);
if (here === undefined || there === undefined) {
  console.error(USAGE);
  process.exit(1);
}
process.env['NODE_ENV'] = 'production';
// As buffers: the text of a token is new with every request, and is hashed then.
const headersOf = (token: (number: number) => string) =>
  Array.from({ length: REQUESTS }, (_, i) => Buffer.from(`Bearer ${token(i)}`));
const known = headersOf(jwt);
const forged = headersOf(forgedJwt);

const floor = await subjectOf(await createApp(bareModule(), 'fastify'));
// V8 compiles what is loaded first in another way than the rest. So the first copy is not counted, and each version is
// loaded twice.
const loaded: { readonly of: string; readonly subject: Subject }[] = [];
for (const [i, module] of [there, here, there, there, here].entries()) {
  loaded.push({ of: module, subject: await subjectOf(await kit(`${module}?${i}`)) });
}
const copies = loaded.slice(1);
const subjects = [floor, ...loaded.map(({ subject }) => subject)];
await setTimeout(100);
globalThis.gc?.();

const limit = Number(values.limit ?? Infinity);
let tooSlow = await compare(WARM_UP_ROUNDS);
if (tooSlow.length > 0) {
  console.log('once more, as other processes may have disturbed it:');
  const again = await compare(0);
  tooSlow = tooSlow.filter((scenario) => again.includes(scenario));
}
if (tooSlow.length > 0) {
  console.error(`more than ${limit} times the cost of the other: ${tooSlow.join(', ')}`);
}
process.exit(tooSlow.length > 0 ? 1 : 0);

/** @returns the kinds of requests beyond the limit */
async function compare(warmUp: number): Promise<Scenario[]> {
  for (const { costs } of subjects) {
    SCENARIOS.forEach((scenario) => (costs[scenario].length = 0));
  }
  for (let round = -warmUp; round < Number(values.rounds); round++) {
    for (const scenario of SCENARIOS) {
      for (const subject of inOrder(subjects, round + warmUp)) {
        const cost = await costOf(subject, scenario);
        if (round >= 0) {
          subject.costs[scenario].push(cost);
        }
      }
    }
  }
  return SCENARIOS.filter((scenario) => {
    const bare = medianOf(floor.costs[scenario]);
    const [cost, other] = [here, there].map((module) => addedBy(module as string, scenario)) as [
      number,
      number,
    ];
    const ratio = cost / other;
    console.log(
      `${scenario.padEnd(13)} ${cost.toFixed(2)} beside ${other.toFixed(2)} µs, ratio ${ratio.toFixed(3)}` +
        ` (without authentication: ${bare.toFixed(2)})`,
    );
    return ratio > limit;
  });
}

/** What the copies of a version add to a request: the median over the rounds, each beside the floor of the same round. */
function addedBy(module: string, scenario: Scenario): number {
  const bare = floor.costs[scenario];
  const added = copies
    .filter((copy) => copy.of === module)
    .map(({ subject }) =>
      medianOf(subject.costs[scenario].map((cost, round) => cost - (bare[round] as number))),
    );
  return added.reduce((sum, cost) => sum + cost, 0) / added.length;
}

/** Begins with another one in each round, in one direction and in the other: what runs first is slower. */
function inOrder(subjects: readonly Subject[], round: number): Subject[] {
  const first = round % subjects.length;
  const turned = [...subjects.slice(first), ...subjects.slice(0, first)];
  return Math.floor(round / subjects.length) % 2 === 0 ? turned : turned.reverse();
}

function medianOf(values: readonly number[]): number {
  return spreadOf(values).median;
}

/** In microseconds a request. */
async function costOf({ fastify }: Subject, scenario: Scenario): Promise<number> {
  const isOpen = scenario === 'open route';
  const hasToken = !isOpen && scenario !== 'no token';
  const before = cpuTimeOfThread();
  for (const header of scenario === 'forged tokens' ? forged : known) {
    const rawHeaders = ['Host', 'localhost'];
    if (hasToken) {
      rawHeaders.push('Authorization', header.toString('latin1'));
    }
    await exchange(
      (request, response) => fastify.routing(request, response),
      isOpen ? '/v1/open' : '/v1/hello',
      rawHeaders,
    );
  }
  return (cpuTimeOfThread() - before) / 1000 / REQUESTS;
}

async function subjectOf(app: INestApplication): Promise<Subject> {
  await app.init();
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  await fastify.ready();
  return {
    fastify,
    costs: { 'known tokens': [], 'forged tokens': [], 'no token': [], 'open route': [] },
  };
}

function bareModule(): Type {
  @Module({ controllers: [HelloController] })
  class BareApp {}
  return BareApp;
}

async function kit(module: string): Promise<INestApplication> {
  const { KitAuthJwtModule, KitAuthModule, Public } = (await import(module)) as {
    KitAuthJwtModule: Type;
    KitAuthModule: { forRoot(options: object): DynamicModule };
    Public: () => MethodDecorator;
  };
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
      KitAuthModule.forRoot({ jwt: { secret: SECRET }, password: { cost: 10 }, strict: false }),
      KitAuthJwtModule,
    ],
    controllers: [KitController],
  })
  class KitApp {}
  return createApp(KitApp, 'fastify');
}
