import { createHash } from 'node:crypto';
import { networkOfClient, UNKNOWN } from '../context/network.js';
import type { Client } from '../contract/client.js';
import type { Principal } from '../contract/login-proof.js';

/** The account and the network of an attempt. */
export interface Subject {
  /** One value for all spellings that a database may treat as the same name. */
  readonly account: string;
  /** The name as it was sent. */
  readonly name: string;
  /** `UNKNOWN` when the client's address is unknown. Undefined outside of requests. */
  readonly network: string | undefined;
}

/** The keys of the counters. They are hashes, so that a store contains no names or addresses. */
export interface ThrottleKeys {
  readonly account: string;
  /** Counts the failures of this spelling of the name. A success clears no others. */
  readonly name: string;
  /** Counts what this name at this address has added to the other counters. */
  readonly share: string;
  /** The budget of a known device. */
  readonly device: string;
  /** The budget of an account that was unlocked, at a locked address. */
  readonly unlocked: string;
  /** Closed while a known device of the account is locked out. */
  readonly lockedDevice: string;
}

export function subjectOf(username: string, client?: Pick<Client, 'address'>): Subject {
  return {
    account: canonicalName(username),
    name: username,
    network: client && networkOfClient(client),
  };
}

/** @param epoch how many times the account was unlocked: each unlock resets its counters */
export function throttleKeys({ account, name, network }: Subject, epoch: number): ThrottleKeys {
  return {
    account: hash('account', account, epoch),
    name: hash('name', name, epoch),
    share: hash('share', network ?? '', name, epoch),
    device: hash('device', network ?? '', name, epoch),
    unlocked: hash('pardon', account, epoch),
    lockedDevice: hash('locked-device', account, epoch),
  };
}

/** Undefined outside of requests. */
export function addressKey({ network }: Pick<Subject, 'network'>): string | undefined {
  return network === undefined ? undefined : hash('address', network);
}

/** The key under which the number of unlocks of an account is stored. */
export function unlockKey({ account }: Pick<Subject, 'account'>): string {
  return hash('unlock', account);
}

/** The key of a known device. Undefined when the address is unknown. */
export function knownKey({ name, network }: Subject): string | undefined {
  return network === undefined || network === UNKNOWN ? undefined : hash('pair', network, name);
}

/** The key that says that some account was unlocked a short time ago. */
export const ANY_UNLOCK_KEY = hash('pardon');

/**
 * Ignores at least what any collation ignores: case, accents, width, invisible characters and outer white space. Uses
 * upper case, because some letters have several lower-case forms (`ß` and `ss`, `ς` and `σ`).
 */
export function canonicalName(username: string): string {
  return username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cc}\p{Cf}]+/gu, (run) => (/\s/.test(run) ? ' ' : ''))
    .toLowerCase()
    .toUpperCase()
    .trim();
}

/** The key of a login. Logins that have no name are named by their token. */
export function loginKey({ proof: { loginId }, token }: Pick<Principal, 'proof' | 'token'>): string {
  return loginId === undefined ? hash('token', token) : hash('login', loginId);
}

function hash(...parts: (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest().toString('base64url', 0, 16);
}
