import type { Block, Cost, Scenario } from './measure/block.js';
import type { PeerName } from './peers/index.js';

const FASTIFY = 'no authentication, Fastify';
const EXPRESS = 'no authentication, Express';
const MANY = ['10,000 tokens'] as const;
/** Express takes longer until V8 has found out what its requests are. */
const EXPRESS_WARM_UP = 2;
/** A short run that starts earlier measures the compiler: sessions then seem to cost three times as much. */
const SHORT_WARM_UP = 4;
const REFUSED = ['no token', 'forged tokens'] as const;

/** What is compared is in one block, because the machine may be another one a minute later. */
export const BLOCKS = {
  'JWT on Fastify': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-jwt, Fastify', scenarios: ['one token', ...MANY] },
      { peer: 'kit-auth-jwt with refresh tokens, Fastify', scenarios: ['one token'] },
      { peer: '@fastify/jwt with cache', scenarios: MANY },
      { peer: 'documentation guard, Fastify', scenarios: MANY },
    ],
  },
  'tokens seen for the first time': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-jwt, Fastify', scenarios: ['new tokens'] },
      { peer: '@fastify/jwt', scenarios: ['new tokens', ...MANY] },
      { peer: 'documentation guard with KeyObject, Fastify', scenarios: MANY },
    ],
  },
  'tokens signed with EdDSA': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-jwt with EdDSA, Fastify', scenarios: ['one token', 'new tokens'], alg: 'EdDSA' },
      { peer: 'kit-auth-jwt, Fastify', scenarios: ['one token'] },
      { peer: 'jose with EdDSA', scenarios: ['new tokens'], alg: 'EdDSA' },
      { peer: '@fastify/jwt with EdDSA', scenarios: ['new tokens'], alg: 'EdDSA' },
    ],
  },
  refusals: {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-jwt, Fastify', scenarios: REFUSED },
      { peer: '@fastify/jwt', scenarios: REFUSED },
      { peer: 'documentation guard with KeyObject, Fastify', scenarios: ['forged tokens'] },
    ],
  },
  'open routes': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-jwt, Fastify', scenarios: ['open route'] },
      { peer: 'AsyncLocalStorage alone', scenarios: ['open route'] },
    ],
  },
  'sessions in memory': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-session in memory, users cached', scenarios: MANY },
      { peer: '@fastify/jwt with cache', scenarios: MANY },
      { peer: 'better-auth with cookie cache', scenarios: MANY },
    ],
  },
  'sessions in Redis': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-session on Redis', scenarios: MANY },
      { peer: 'kit-auth-session on Redis, users cached', scenarios: MANY },
      { peer: 'hand-written Redis guard', scenarios: MANY },
    ],
  },
  'sessions in SQL': {
    floor: FASTIFY,
    participants: [
      { peer: 'kit-auth-session on SQLite', scenarios: MANY },
      { peer: 'kit-auth-session on PostgreSQL', scenarios: MANY },
      { peer: 'better-auth bearer on SQLite', scenarios: MANY },
    ],
  },
  'JWT on Express': {
    floor: EXPRESS,
    warmUp: EXPRESS_WARM_UP,
    participants: [
      { peer: 'kit-auth-jwt, Express', scenarios: [...MANY, 'forged tokens'] },
      { peer: 'documentation guard with KeyObject, Express', scenarios: [...MANY, 'forged tokens'] },
      { peer: 'passport-jwt with a KeyObject, Express', scenarios: [...MANY, 'forged tokens'] },
    ],
  },
  'others on Express': {
    floor: EXPRESS,
    warmUp: EXPRESS_WARM_UP,
    participants: [
      { peer: 'documentation guard, Express', scenarios: MANY },
      { peer: 'passport-jwt, Express', scenarios: MANY },
      { peer: 'express-session on Redis', scenarios: MANY },
    ],
  },
} satisfies Record<string, Block>;

/** What CI looks at. */
export const SHORT_BLOCKS = {
  'JWT on Fastify': {
    floor: FASTIFY,
    warmUp: SHORT_WARM_UP,
    participants: [
      { peer: 'kit-auth-jwt, Fastify', scenarios: [...MANY, 'forged tokens'] },
      { peer: '@fastify/jwt with cache', scenarios: [...MANY, 'forged tokens'] },
      { peer: 'kit-auth-session in memory, users cached', scenarios: MANY },
    ],
  },
} satisfies Record<string, Block>;

export interface BlockCosts {
  block: string;
  costs: Cost[];
}

/** A ratio, or an amount, that is to be at most so much. */
export interface Target {
  what: string;
  limit: number;
  unit: '' | 'µs' | 'ms' | 'kB' | 'MB';
  measured: number;
}

/** A ratio of costs that are not above nothing says nothing. */
export function isReached({ measured, limit, unit }: Target): boolean {
  return measured <= limit && (unit !== '' || measured > 0);
}

/** Of the blocks that were measured; a target whose block was not is left out. */
export function requestTargets(results: readonly BlockCosts[]): Target[] {
  return [
    ratio('JWT on Fastify', 'kit-auth-jwt, Fastify', '@fastify/jwt with cache', '10,000 tokens', 1),
    ratio('JWT on Fastify', 'kit-auth-jwt, Fastify', 'documentation guard, Fastify', '10,000 tokens', 1 / 40),
    difference(
      'JWT on Fastify',
      'kit-auth-jwt with refresh tokens, Fastify',
      'kit-auth-jwt, Fastify',
      'one token',
      2,
    ),
    ratio('tokens seen for the first time', 'kit-auth-jwt, Fastify', '@fastify/jwt', 'new tokens', 1.3),
    ratio(
      'tokens signed with EdDSA',
      'kit-auth-jwt with EdDSA, Fastify',
      'kit-auth-jwt, Fastify',
      'one token',
      1.2,
    ),
    ratio(
      'tokens signed with EdDSA',
      'kit-auth-jwt with EdDSA, Fastify',
      'jose with EdDSA',
      'new tokens',
      1.2,
    ),
    ratio(
      'tokens signed with EdDSA',
      'kit-auth-jwt with EdDSA, Fastify',
      '@fastify/jwt with EdDSA',
      'new tokens',
      1.2,
    ),
    ratio(
      'JWT on Express',
      'kit-auth-jwt, Express',
      'documentation guard with KeyObject, Express',
      '10,000 tokens',
      0.8,
    ),
    ratio(
      'JWT on Express',
      'kit-auth-jwt, Express',
      'passport-jwt with a KeyObject, Express',
      '10,000 tokens',
      1 / 4,
    ),
    ratio('refusals', 'kit-auth-jwt, Fastify', '@fastify/jwt', 'no token', 1),
    ratio('refusals', 'kit-auth-jwt, Fastify', '@fastify/jwt', 'forged tokens', 1 / 2),
    difference('open routes', 'kit-auth-jwt, Fastify', 'AsyncLocalStorage alone', 'open route', 2),
    ratio(
      'sessions in memory',
      'kit-auth-session in memory, users cached',
      '@fastify/jwt with cache',
      '10,000 tokens',
      1,
    ),
    ratio('sessions in Redis', 'kit-auth-session on Redis', 'hand-written Redis guard', '10,000 tokens', 3),
    ratio(
      'sessions in Redis',
      'kit-auth-session on Redis, users cached',
      'hand-written Redis guard',
      '10,000 tokens',
      1.3,
    ),
    ratio(
      'sessions in SQL',
      'kit-auth-session on SQLite',
      'better-auth bearer on SQLite',
      '10,000 tokens',
      1 / 10,
    ),
    ratio(
      'sessions in SQL',
      'kit-auth-session on PostgreSQL',
      'better-auth bearer on SQLite',
      '10,000 tokens',
      1 / 5,
    ),
  ].flatMap((target) => target(results) ?? []);
}

/** A regression of several times, however noisy the machine. */
export function shortTargets(results: readonly BlockCosts[]): Target[] {
  return [
    ratio('JWT on Fastify', 'kit-auth-jwt, Fastify', '@fastify/jwt with cache', '10,000 tokens', 3),
    ratio('JWT on Fastify', 'kit-auth-jwt, Fastify', '@fastify/jwt with cache', 'forged tokens', 2),
    ratio(
      'JWT on Fastify',
      'kit-auth-session in memory, users cached',
      '@fastify/jwt with cache',
      '10,000 tokens',
      4,
    ),
  ].flatMap((target) => target(results) ?? []);
}

type TargetOf = (results: readonly BlockCosts[]) => Target | undefined;

function ratio(block: string, peer: PeerName, other: PeerName, scenario: Scenario, limit: number): TargetOf {
  return (results) => {
    const [a, b] = [costOf(results, block, peer, scenario), costOf(results, block, other, scenario)];
    return a === undefined || b === undefined
      ? undefined
      : { what: `${peer} over ${other}, ${scenario}`, limit, unit: '', measured: a / b };
  };
}

function difference(
  block: string,
  peer: PeerName,
  other: PeerName,
  scenario: Scenario,
  limit: number,
): TargetOf {
  return (results) => {
    const [a, b] = [costOf(results, block, peer, scenario), costOf(results, block, other, scenario)];
    return a === undefined || b === undefined
      ? undefined
      : { what: `${peer} beyond ${other}, ${scenario}`, limit, unit: 'µs', measured: a - b };
  };
}

function costOf(
  results: readonly BlockCosts[],
  block: string,
  peer: PeerName,
  scenario: Scenario,
): number | undefined {
  const costs = results.find((result) => result.block === block)?.costs;
  return costs?.find((cost) => cost.peer === peer && cost.scenario === scenario)?.microseconds.median;
}
