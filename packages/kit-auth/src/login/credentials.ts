import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { MAX_PASSWORD_COST, MAX_USERNAME_LENGTH } from '../config/option-table.js';
import { type HashTurn, OWN_TURN } from '../contract/hash-turn.js';
import type { LoginUser } from '../contract/login-user.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { describeError } from '../errors/describe-error.js';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthUser, AuthUserStatus } from '../users/typeorm/auth-user.entity.js';
import { withinDeadline } from '../errors/deadline.js';
import { LoginUserLoader } from '../users/typeorm/login-user.loader.js';
import { canVerify, PasswordHasher } from '../users/password.hasher.js';
import { noneIfUnusable } from '../users/typeorm/unusable-text.js';

/** A user whose password was right, and the security stamp that they had then. */
export interface Checked {
  user: LoginUser;
  stamp: string;
}

/** Login up to the token: finds the account, compares the password, checks the status, builds the `LoginUser`. */
@Injectable()
export class Credentials implements OnApplicationBootstrap {
  private readonly logger = new Logger('KitAuth');

  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly hasher: PasswordHasher,
    private readonly loginUsers: LoginUserLoader,
  ) {}

  /**
   * Looks for hashes that are dearer than the configured cost, which would tell by their time that an account exists.
   * Those that are written later count from the first time that they are looked at.
   */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.settings.enabled) {
      return;
    }
    try {
      const query = this.users
        .createQueryBuilder('user')
        .select('MAX(SUBSTR(user.passwordHash, 5, 2))', 'cost')
        .where("user.passwordHash LIKE '$2_$%'")
        .andWhere('SUBSTR(user.passwordHash, 5, 2) <= :most', { most: String(MAX_PASSWORD_COST) });
      // The whole table is read, which must not hold up the start of an application with very many users.
      const answer = query.getRawOne<{ cost: string | null }>();
      const row = await withinDeadline(this.settings.login.databaseTimeoutMs, answer);
      this.hasher.expect(Number(row?.cost ?? 0));
    } catch (error) {
      this.logger.warn(`[auth] password hashes could not be looked at: ${describeError(error)}`);
    }
  }

  /**
   * @param action whose part the check is
   * @throws AuthException 40110, 40111, or 50300 when the database does not answer or the queue is full
   */
  async check(
    username: string,
    password: string,
    action: AuthAction,
    turn: HashTurn = OWN_TURN,
  ): Promise<Checked> {
    const user = await this.load(username);
    if (!(await this.hasher.verify(password, user?.passwordHash, turn)) || user === undefined) {
      throw refused(AuthErrorCode.LOGIN_FAILED, user, action);
    }
    if (user.status !== AuthUserStatus.ENABLED) {
      throw refused(AuthErrorCode.USER_DISABLED, user, action);
    }
    if (this.hasher.isOutdated(user.passwordHash)) {
      await this.renewHash(user, password, turn);
    }
    const loginUser = await this.ask(this.loginUsers.load(user.id));
    if (loginUser === undefined) {
      throw refused(AuthErrorCode.USER_DISABLED, user, action);
    }
    return { user: loginUser, stamp: user.securityStamp };
  }

  /** Whether an account could have this name and this password, as far as they tell by themselves. */
  canSucceed(username: string, password: string): boolean {
    return isUsername(username) && canVerify(password);
  }

  private async load(username: string): Promise<AuthUser | undefined> {
    if (!isUsername(username)) {
      return undefined;
    }
    const query = this.users
      .createQueryBuilder('user')
      .addSelect(['user.passwordHash', 'user.securityStamp'])
      .where('user.username = :username', { username });
    const user = await this.ask(query.getOne().catch(noneIfUnusable(null)));
    return user?.username === username ? user : undefined;
  }

  private async ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await withinDeadline(this.settings.login.databaseTimeoutMs, answer);
    } catch (cause) {
      this.logger.error(`[auth] login failed because of the user database: ${describeError(cause)}`);
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1, cause });
    }
  }

  /**
   * Notes the time of a login, unless the user was changed since their password was checked: who logs in with the old
   * password while it is being changed gets nothing.
   *
   * @throws AuthException 40110 then, and 50300 when the database does not answer
   */
  async noteLogin({ user: { userId, username }, stamp }: Checked, action: AuthAction): Promise<void> {
    // Not a change of the user: `updatedAt` stays.
    const updatedAt = () => this.users.manager.dataSource.driver.escape('updatedAt');
    const { affected } = await this.ask(
      this.users.update({ id: userId, securityStamp: stamp }, { lastLoginAt: new Date(), updatedAt }),
    );
    if (affected === 0) {
      action.note({
        type: 'login-failed',
        subjectId: userId,
        subject: username,
        success: false,
        detail: 'changed',
      });
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
  }

  /** A login that was right does not fail because its hash could not be renewed; the next one tries again. */
  private async renewHash({ id, passwordHash }: AuthUser, password: string, turn: HashTurn): Promise<void> {
    try {
      const renewed = await this.hasher.hash(password, turn);
      const { databaseTimeoutMs } = this.settings.login;
      await withinDeadline(
        databaseTimeoutMs,
        this.users.update({ id, passwordHash }, { passwordHash: renewed }),
      );
    } catch (error) {
      this.logger.warn(`[auth] the password hash was not renewed, user ${id}: ${describeError(error)}`);
    }
  }
}

/** A name that no account has is not told: people type passwords into the wrong field. */
function refused(code: AuthErrorCode, user: AuthUser | undefined, action: AuthAction): AuthException {
  const about = { subjectId: user?.id ?? null, subject: user?.username ?? null };
  action.note({ type: 'login-failed', ...about, success: false, detail: AuthErrorCode[code] });
  return new AuthException(code);
}

function isUsername(text: string): boolean {
  return text.length <= MAX_USERNAME_LENGTH && text.isWellFormed() && !text.includes('\0');
}
