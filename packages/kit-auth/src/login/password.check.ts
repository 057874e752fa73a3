import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { KitAuthContext } from '../context/kit-auth.context.js';
import { turnOf } from '../context/network.js';
import type { AuthAction } from '../contract/auth-event.js';
import type { HashTurn } from '../contract/hash-turn.js';
import type { LoginAttempt, LoginStep, ShownFactor, VerifiedLogin } from '../contract/login-step.js';
import { MAX_USERNAME_LENGTH } from '../contract/settings.js';
import type { StoredUser } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';
import { attempting } from '../ports/port.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { PasswordHashing } from '../users/password.hashing.js';

/** The steps that the modules of the application add to a login, in their order. */
@Injectable()
export class LoginSteps implements OnApplicationBootstrap {
  constructor(private readonly ports: Ports) {}

  /**
   * After the modules, which can tell better that they are imported twice.
   *
   * @throws IllegalStateException for two steps with `afterPassword` and the same name
   */
  onApplicationBootstrap(): void {
    requireDistinctNames(this.ports.steps);
  }

  /** Runs a check of a password inside the steps around it. */
  around(attempt: LoginAttempt, check: Check): Promise<VerifiedLogin> {
    // A failure of the check is not a failure of the steps around it.
    const innermost: Check = (turn) => attempting('the check of a password', () => check(turn));
    const checkInside = this.ports.steps.reduceRight<Check>((inner, step) => {
      const around = step.around?.bind(step);
      return around === undefined ? inner : (turn) => around(attempt, (own = turn) => inner(own));
    }, innermost);
    return checkInside();
  }

  /** Runs the steps that a login has not passed yet. @returns the login with the factors that they added */
  async afterPassword(login: VerifiedLogin, attempt: LoginAttempt): Promise<VerifiedLogin> {
    let verified = login;
    for (const step of this.ports.steps) {
      const { passed = [] } = verified;
      if (step.afterPassword !== undefined && !passed.includes(nameOf(step))) {
        verified = { ...verified, passed: [...passed, nameOf(step)] };
        const proof = await step.afterPassword(verified, attempt);
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

  /** Verifies a factor with the step that it belongs to. @returns undefined when there is none */
  async verifyFactor(shown: ShownFactor, attempt: LoginAttempt): Promise<VerifiedLogin | undefined> {
    for (const step of this.ports.steps) {
      const verified = await step.verifyFactor?.(shown, attempt);
      if (verified !== undefined) {
        return verified;
      }
    }
    return undefined;
  }
}

/**
 * Checks passwords, at login and elsewhere. Every check runs inside the steps around it, such as the throttle.
 */
@Injectable()
export class PasswordCheck {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly users: ActiveUserStore,
    private readonly hashing: PasswordHashing,
    private readonly steps: LoginSteps,
    private readonly context: KitAuthContext,
  ) {}

  /** Begins an attempt with a password. Call this before the first `await`. */
  attempt(username: string, password: string, action: AuthAction): LoginAttempt {
    const isPossible = isUsername(username) && this.hashing.canVerify(password);
    return { username, isPossible, action, client: this.context.client() };
  }

  /**
   * Checks the password of a user who is logged in, for example before it is changed.
   *
   * @param counting runs the comparison, and counts it. Not called if a step refuses the attempt
   * @throws AuthException 40110, 40111, 42900 from the throttle, or 50300 when the database does not answer or the
   * queue is full
   */
  async verify(
    attempt: LoginAttempt,
    password: string,
    counting: (compare: () => Promise<VerifiedLogin>) => Promise<VerifiedLogin> = (compare) => compare(),
  ): Promise<VerifiedLogin> {
    const verified = await this.steps.around(attempt, (turn) =>
      counting(() => this.compare(attempt, password, turn)),
    );
    await this.steps.succeeded(verified, attempt);
    return verified;
  }

  /**
   * Checks the password of a login and runs the steps after it.
   *
   * @throws AuthException like `verify`, and the errors of the steps
   */
  async logIn(attempt: LoginAttempt, password: string): Promise<VerifiedLogin> {
    return this.steps.around(attempt, async (turn) =>
      this.steps.afterPassword(await this.compare(attempt, password, turn), attempt),
    );
  }

  private async compare(
    { username, action, client }: LoginAttempt,
    password: string,
    turn: HashTurn = turnOf(client),
  ): Promise<VerifiedLogin> {
    const user = isUsername(username) ? await this.users.findByUsername(username) : undefined;
    if (!(await this.hashing.verify(password, user?.passwordHash ?? undefined, turn)) || user === undefined) {
      throw refused(AuthErrorCode.LOGIN_FAILED, user, action);
    }
    if (!user.enabled) {
      throw refused(AuthErrorCode.USER_DISABLED, user, action);
    }
    await this.renewHash(user, password, turn);
    const loginUser = await this.users.loadLoginUser(user.id);
    if (loginUser === undefined) {
      throw refused(AuthErrorCode.USER_DISABLED, user, action);
    }
    const factors = { password: Math.floor(Date.now() / 1000) };
    return { user: loginUser, stamp: user.securityStamp, proof: { factors } };
  }

  /** A login does not fail because its hash could not be renewed; the next one tries again. */
  private async renewHash({ id, passwordHash }: StoredUser, password: string, turn: HashTurn): Promise<void> {
    if (
      passwordHash === undefined ||
      !this.hashing.isOutdated(passwordHash) ||
      !this.users.has('renewHash')
    ) {
      return;
    }
    try {
      await this.users.renewHash(id, passwordHash, await this.hashing.hash(password, turn));
    } catch (error) {
      const text = `[auth] the password hash of user ${id} was not renewed: ${describeError(error)}`;
      this.logger.warn([text, ...stackOf(error)].join('\n'));
    }
  }
}

/** The event contains no unknown usernames, because people type passwords into the wrong field. */
function refused(code: AuthErrorCode, user: StoredUser | undefined, action: AuthAction): AuthException {
  const about = { subjectId: user?.id ?? null, subject: user?.username ?? null };
  action.note({ type: 'login-failed', ...about, success: false, detail: AuthErrorCode[code] });
  return new AuthException(code);
}

function isUsername(text: string): boolean {
  return text.length <= MAX_USERNAME_LENGTH && text.isWellFormed() && !text.includes('\0');
}

type Check = (turn?: HashTurn) => Promise<VerifiedLogin>;

/** @throws IllegalStateException when `VerifiedLogin.passed` could mean either of two steps */
function requireDistinctNames(steps: readonly LoginStep[]): void {
  const names = steps.filter((step) => step.afterPassword !== undefined).map(nameOf);
  const name = names.find((name, i) => names.indexOf(name) !== i);
  if (name !== undefined) {
    throw new IllegalStateException(
      `There is more than one LoginStep with the name ${name} and the method afterPassword. Import its module once, or ` +
        'give each step a name of its own (readonly name).',
    );
  }
}

function nameOf(step: LoginStep): string {
  return step.name ?? step.constructor.name;
}
