import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { HashTurn } from '../contract/hash-turn.js';
import type { LoginAttempt, LoginStep, NamedLogin, VerifiedLogin } from '../contract/login-step.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { attempting, isObject } from '../ports/port.js';
import { Ports } from '../ports/ports.js';

/** The check of a password. */
export type PasswordComparison = (turn?: HashTurn) => Promise<VerifiedLogin>;

/** The steps that the modules of the application add to a login, in their order. */
@Injectable()
export class LoginSteps implements OnApplicationBootstrap {
  constructor(private readonly ports: Ports) {}

  /**
   * After the modules, which can tell better that they are imported twice.
   *
   * @throws IllegalStateException for two steps with `afterFirstFactor` and the same name
   */
  onApplicationBootstrap(): void {
    requireDistinctNames(this.ports.steps);
  }

  /** The members of a body that the steps ask for. */
  fieldsOf(body: unknown): LoginAttempt['fields'] {
    const names = isObject(body) ? this.ports.steps.flatMap(({ fields = [] }) => fields) : [];
    return Object.fromEntries(
      names
        .filter((name) => Object.hasOwn(body as object, name))
        .map((name) => [name, (body as Record<string, unknown>)[name]]),
    );
  }

  /** Runs a check of a password inside the steps around it. */
  around(attempt: LoginAttempt, check: PasswordComparison): Promise<VerifiedLogin> {
    // A failure of the check is not a failure of the steps around it.
    const innermost: PasswordComparison = (turn) => attempting('the check of a password', () => check(turn));
    const checkInside = this.ports.steps.reduceRight<PasswordComparison>((inner, step) => {
      const around = step.around?.bind(step);
      return around === undefined ? inner : (turn) => around(attempt, (own = turn) => inner(own));
    }, innermost);
    return checkInside();
  }

  /** Runs the steps that a login has not passed yet. @returns the login with the factors that they added */
  async afterFirstFactor(login: VerifiedLogin, attempt: LoginAttempt): Promise<VerifiedLogin> {
    let verified = login;
    for (const step of this.ports.steps) {
      const { passed = [] } = verified;
      if (step.afterFirstFactor !== undefined && !passed.includes(nameOf(step))) {
        verified = { ...verified, passed: [...passed, nameOf(step)] };
        const proof = await step.afterFirstFactor(verified, attempt);
        verified = proof === undefined ? verified : { ...verified, proof };
      }
    }
    return verified;
  }

  /** Informs the steps that an attempt has succeeded. */
  async succeeded(login: VerifiedLogin, attempt: LoginAttempt): Promise<void> {
    for (const step of this.ports.steps) {
      await step.succeeded?.(login, attempt);
    }
  }

  /** Informs the steps that a login has a token. */
  async opened(login: NamedLogin, attempt: LoginAttempt): Promise<void> {
    for (const step of this.ports.steps) {
      await step.opened?.(login, attempt);
    }
  }
}

/** @throws IllegalStateException when `VerifiedLogin.passed` could mean either of two steps */
function requireDistinctNames(steps: readonly LoginStep[]): void {
  const names = steps.filter((step) => step.afterFirstFactor !== undefined).map(nameOf);
  const name = names.find((name, i) => names.indexOf(name) !== i);
  if (name !== undefined) {
    throw new IllegalStateException(
      `There is more than one LoginStep with the name ${name} and the method afterFirstFactor. Import its module once, ` +
        'or give each step a name of its own (readonly name).',
    );
  }
}

function nameOf(step: LoginStep): string {
  return step.name ?? step.constructor.name;
}
