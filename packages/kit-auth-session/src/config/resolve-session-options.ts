import { MemorySessionStore } from '../stores/memory.session-store.js';
import type { SessionStore } from '../stores/session-store.js';
import type { KitAuthSessionOptions, SessionSettings } from './session.options.js';

const STORE_METHODS = ['create', 'find', 'touch', 'end', 'endAllOf', 'keepEnd', 'listOf', 'prune'] as const;
const MAX_TIMEOUT_MINUTES = 525_600; // a year
/** No token lives longer, whatever `timeoutMinutes` was when it was issued. */
export const MAX_LIFETIME_MS = MAX_TIMEOUT_MINUTES * 60_000;
const MIN_SECRET_BYTES = 32;

type Check = (value: unknown) => string | undefined;

const CHECKS: Readonly<Record<keyof KitAuthSessionOptions, Check>> = {
  mode: (value) =>
    value === 'stateful' || value === 'stateless' ? undefined : "must be 'stateful' or 'stateless'",
  secret: (value) =>
    listOf(value).length > 0 && listOf(value).every(isSecret)
      ? undefined
      : `must be a text of at least ${MIN_SECRET_BYTES} bytes, or a list of such`,
  timeoutMinutes: whole(1, MAX_TIMEOUT_MINUTES),
  idleMinutes: whole(1, MAX_TIMEOUT_MINUTES),
  maxPerUser: whole(1, 10_000),
  overflow: (value) =>
    value === 'end-oldest' || value === 'refuse' ? undefined : "must be 'end-oldest' or 'refuse'",
  store: (value) =>
    value === 'database' || value === 'memory' || isStore(value)
      ? undefined
      : "must be 'database', 'memory' or a SessionStore",
  userCacheSeconds: whole(0, 3600),
};

export interface ResolvedSessionOptions {
  readonly settings: SessionSettings;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export function resolveSessionOptions(options: KitAuthSessionOptions = {}): ResolvedSessionOptions {
  const given = Object.entries(options).filter(([, value]) => (value as unknown) !== undefined);
  const warnings = given
    .filter(([key]) => !Object.hasOwn(CHECKS, key))
    .map(([key]) => `${key} is not an option of KitAuthSessionModule and is ignored`);
  const problems = given.flatMap(([key, value]) => {
    const problem = Object.hasOwn(CHECKS, key)
      ? CHECKS[key as keyof KitAuthSessionOptions](value)
      : undefined;
    return problem === undefined ? [] : [`${key} ${problem}`];
  });
  problems.push(...conflicts(options));
  if (options.mode === 'stateless' && forgets(options.store)) {
    warnings.push(
      "store 'memory' forgets at a restart which tokens were ended, and they are valid again: with mode 'stateless' " +
        "use store 'database' or a RedisSessionStore",
    );
  }
  const {
    mode = 'stateful',
    secret = [],
    timeoutMinutes = 720,
    idleMinutes,
    maxPerUser,
    overflow = 'end-oldest',
    store = 'database',
    userCacheSeconds = 0,
  } = problems.length > 0 ? {} : options;
  const settings = Object.freeze({
    mode,
    secrets: listOf(secret) as string[],
    lifetimeMs: timeoutMinutes * 60_000,
    idleMs: idleMinutes === undefined ? undefined : idleMinutes * 60_000,
    maxPerUser,
    overflow,
    store,
    userCacheMs: userCacheSeconds * 1000,
  });
  return { settings, problems, warnings };
}

function forgets(store: unknown): boolean {
  return store === 'memory' || store instanceof MemorySessionStore;
}

function conflicts({ mode, secret, idleMinutes, maxPerUser, store }: KitAuthSessionOptions): string[] {
  if (mode !== 'stateless') {
    return [];
  }
  return [
    ...(secret === undefined ? ["secret is missing: mode 'stateless' seals tokens with it"] : []),
    ...(idleMinutes === undefined ? [] : ["idleMinutes needs mode 'stateful'"]),
    ...(maxPerUser === undefined ? [] : ["maxPerUser needs mode 'stateful'"]),
    ...(isStore(store) && typeof store.keepEndOfAll !== 'function'
      ? ["store has no method keepEndOfAll, which mode 'stateless' needs"]
      : []),
  ];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isSecret(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.isWellFormed() &&
    Buffer.byteLength(value) >= MIN_SECRET_BYTES
  );
}

function whole(min: number, max: number): Check {
  return (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}

function isStore(value: unknown): value is SessionStore {
  const candidate = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return STORE_METHODS.every((method) => typeof candidate[method] === 'function');
}
