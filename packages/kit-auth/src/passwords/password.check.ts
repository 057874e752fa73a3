import { Injectable, Logger } from '@nestjs/common';
import { turnOf } from '../context/network.js';
import type { AuthAction } from '../contract/auth-event.js';
import type { HashTurn } from '../contract/hash-turn.js';
import type { LoginAttempt, VerifiedLogin } from '../contract/login-step.js';
import type { StoredUser } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';
import { type LoginAnswer, LoginFlow, type PassedLogin } from '../login/login.flow.js';
import { LoginSteps } from '../login/login.steps.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { isUsername, LoginNames } from '../users/login-names.js';
import { PasswordHashing } from './password.hashing.js';

type FindAccount = () => Promise<StoredUser | undefined>;

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
    private readonly flow: LoginFlow,
  ) {}

  /**
   * Begins an attempt with a password. Call this before the first `await`.
   *
   * @param request its body has what steps ask for
   */
  begin(username: string, password: string, request?: { readonly body?: unknown }): LoginAttempt {
    const isPossible = isUsername(username) && this.hashing.canVerify(password);
    return { ...this.flow.begin('password', request), username, isPossible };
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
   * Checks the password of a login, and runs the steps after it: inside those around it, so that the throttle does not count
   * a login that one of them stops.
   *
   * @param find finds the account of the attempt. Default: by its username
   * @throws AuthException like `verify`, and the errors of the steps
   */
  async logIn(attempt: LoginAttempt, password: string, find?: FindAccount): Promise<VerifiedLogin> {
    const login = await this.steps.around(attempt, async (turn) =>
      this.steps.afterFirstFactor(await this.compare(attempt, password, turn, find), attempt),
    );
    // Does nothing, unless a step around the check has answered without it. The second factor must not be skipped then.
    return this.steps.afterFirstFactor(login, attempt);
  }

  private async compare(
    { username, action, client }: LoginAttempt,
    password: string,
    turn: HashTurn = turnOf(client),
    find: FindAccount = () => this.users.findByUsername(username),
  ): Promise<VerifiedLogin> {
    const user = isUsername(username) ? await find() : undefined;
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

/** The login whose first factor is a password. */
@Injectable()
export class PasswordLogin {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly names: LoginNames,
    private readonly flow: LoginFlow,
  ) {}

  /**
   * @param request its body has what steps ask for
   * @throws AuthException 40110 wrong user name or password, 40111 account disabled, 42900 too many attempts, 50300
   * database not answering or too many logins at once, and what the steps of the login throw
   */
  async logIn(
    username: string,
    password: string,
    request?: { readonly body?: unknown },
  ): Promise<LoginAnswer> {
    const begun = this.passwords.begin(username, password, request);
    return this.flow.open(() => this.pass(begun, password));
  }

  /** The account of an address is found first, so that attempts count on it, whatever spelling was typed. */
  private async pass(begun: LoginAttempt, password: string): Promise<PassedLogin> {
    const named = await this.names.byAddress(begun.username);
    const attempt = named === undefined ? begun : { ...begun, username: named.username };
    const find = named && (async () => named.account);
    return { attempt, login: await this.passwords.logIn(attempt, password, find) };
  }
}

/** The event contains no unknown usernames, because people type passwords into the wrong field. */
function refused(code: AuthErrorCode, user: StoredUser | undefined, action: AuthAction): AuthException {
  const about = { subjectId: user?.id ?? null, subject: user?.username ?? null };
  action.note({ type: 'login-failed', ...about, success: false, detail: AuthErrorCode[code] });
  return new AuthException(code);
}
