import { Injectable } from '@nestjs/common';
import type { Factor } from '../contract/factor.js';
import type { LoginProof, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { AccountChange } from '../contract/user-store.js';
import { andThen, isPromiseLike } from '../errors/maybe-promise.js';
import { failureOf } from './port.js';
import { Ports } from './ports.js';

type Names = readonly string[];
type Maybe<T> = T | Promise<T>;

/** A factor with the names that a user has of it. */
export interface OwnedFactor {
  readonly factor: Factor;
  readonly names: Names;
}

/** The second factors of a user. */
export interface SecondFactors {
  /** The factors that can confirm a login. */
  readonly names: Names;
  /** Whether logins ask for none of them: a mail, which sets a new password, then gives access to the account anyway. */
  readonly areOffered: boolean;
}

/** A factor whose answers come to `POST login/factor` and `POST fresh`. */
export type AnsweredFactor = Factor & Required<Pick<Factor, 'verify'>>;

/** A factor whose confirmations begin at `POST fresh/options`. */
export type BegunFactor = Factor & Required<Pick<Factor, 'begin'>>;

/** Known without the package that adds it: a worker need not import it. */
const SECOND_FACTORS = ['totp', 'recovery', 'passkey', 'mfa'];

/** The factors of the application's modules. */
@Injectable()
export class Factors {
  private second: readonly string[] | undefined;

  constructor(private readonly ports: Ports) {}

  /** The names of the factors that can complete a login. */
  names(): string[] {
    return this.completing.flatMap(({ names }) => names);
  }

  /** The factor that can complete a login with this name. */
  find(name: string): AnsweredFactor | undefined {
    return this.completing.filter(isAnswered).find(({ names }) => names.includes(name));
  }

  /** The factor whose answers can confirm a login with this name. */
  confirming(name: string): AnsweredFactor | undefined {
    return this.all.filter(isAnswered).find(({ confirms }) => confirms.includes(name));
  }

  /** The factor that has something to begin a confirmation with. */
  beginning(name: string): BegunFactor | undefined {
    return this.all.filter(isBegun).find(({ confirms }) => confirms.includes(name));
  }

  /** The factors that a login asks a user for. Empty if it asks for none. */
  askedOf(user: LoginUser): Maybe<readonly OwnedFactor[]> {
    return andThen(ownedOf(user, this.completing), (owned) => (owned.some(isAsked) ? owned : []));
  }

  /**
   * The second factors with which a user can confirm a login. One that is only offered counts where the user has to have a
   * second factor, and for changes of the own factors: otherwise the password alone could add another one beside it.
   */
  secondOf(user: LoginUser, isOwnChange = false): Maybe<SecondFactors> {
    const second = this.all.filter(({ second }) => second !== 'no');
    return andThen(ownedOf(user, second), (owned) => {
      const areOffered = owned.every(isOffered) && !this.isRequiredFor(user);
      return { names: areOffered && !isOwnChange ? [] : confirmersAmong(owned), areOffered };
    });
  }

  /** All factors with which a user can confirm a login: the password, unless this user has none, or users can log in without. */
  confirmersOf(user: LoginUser): Maybe<Names> {
    const all = () => andThen(ownedOf(user, this.all), confirmersAmong);
    if (this.all.some((factor) => factor.canLogIn !== undefined)) {
      return all();
    }
    const passwords = this.all.filter(({ names }) => names.includes('password'));
    return passwords.length === 0
      ? ['password']
      : andThen(ownedOf(user, passwords), (owned) => (owned.length > 0 ? ['password'] : all()));
  }

  /** One after the other: all removals lock the rows of the factors in the same order, so none waits for another in a circle. */
  async waysOf(user: LoginUser, change: AccountChange): Promise<string[]> {
    const ways: string[] = [];
    for (const factor of this.all) {
      ways.push(...((await factor.canLogIn?.(user, change)) ?? []));
    }
    return ways;
  }

  /** Whether a user has to set up, or show, a second factor. */
  needsEnrolment({ user, proof }: ResolvedLogin): boolean {
    return this.isRequiredFor(user) && !this.isSecondShown(proof);
  }

  /** Whether a second factor was shown in a login: one of a package, of the application, or of a provider. */
  isSecondShown({ factors }: LoginProof): boolean {
    this.second ??= [...SECOND_FACTORS, ...this.names()];
    return this.second.some((factor) => factors[factor] !== undefined);
  }

  private isRequiredFor(user: LoginUser): boolean {
    return this.all.some((factor) => factor.isRequiredFor?.(user) === true);
  }

  private get completing(): readonly Factor[] {
    return this.all.filter(({ second = 'asked' }) => second === 'asked' || second === 'offered');
  }

  private get all(): readonly Factor[] {
    return this.ports.factors;
  }
}

/** Rejects instead of throwing, so that the answers of other factors are awaited. */
function hasOf(factor: Factor, user: LoginUser): Maybe<Names> {
  try {
    return factor.has(user);
  } catch (error) {
    return Promise.reject(failureOf(error, 'a factor'));
  }
}

/** @returns a promise only if one of the factors does */
function ownedOf(user: LoginUser, factors: readonly Factor[]): Maybe<readonly OwnedFactor[]> {
  const found = factors.map((factor) => hasOf(factor, user));
  const owned = (all: readonly Names[]) =>
    factors.flatMap((factor, i): OwnedFactor[] => (all[i]?.length ? [{ factor, names: all[i] }] : []));
  return found.some(isPromiseLike)
    ? Promise.all(found.map(async (names) => names)).then(owned)
    : owned(found as Names[]);
}

function isAnswered(factor: Factor): factor is AnsweredFactor {
  return factor.verify !== undefined;
}

function isBegun(factor: Factor): factor is BegunFactor {
  return factor.begin !== undefined;
}

function isAsked({ factor: { second = 'asked' } }: OwnedFactor): boolean {
  return second === 'asked';
}

function isOffered({ factor: { second } }: OwnedFactor): boolean {
  return second === 'offered';
}

function confirmersAmong(owned: readonly OwnedFactor[]): string[] {
  return owned.flatMap(({ factor, names }) => names.filter((name) => factor.confirms.includes(name)));
}
