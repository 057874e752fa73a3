import { Inject, Injectable } from '@nestjs/common';
import type { AuthAction, AuthException, Client, LoginProof, SessionEndReason, UserId } from 'kit-auth';
import { invalidToken, unavailable } from 'kit-auth/feature';
import { type LoginAnswer, LoginEnds, summaryOf } from 'kit-auth/login';
import { type RefreshSettings, type ResolvedRefreshOptions, refreshOptions } from '../refresh.options.js';
import { LOGIN_STORE, type LoginStore, type StoredLogin } from '../stores/login-store.js';
import { FamilySeal, hashOf, readToken, type RefreshToken, writeToken } from '../tokens/refresh-token.js';
import { AccessTokens, type CurrentUser } from './access.tokens.js';
import { LoginCache } from './login.cache.js';
import {
  clientKey,
  nextRotation,
  type PresentedToken,
  replayOf,
  type Successor,
  successorIn,
} from './successor.js';

declare module 'kit-auth' {
  interface SessionEndReasons {
    /** A refresh token was used again by another client, too late, or too often. */
    reused: true;
    expired: true;
  }

  interface AuthEventTypes {
    /** A refresh token was replaced. Listeners get this event, and no sink stores it. */
    'token-refreshed': true;
    /** A used refresh token returned its successor again. */
    'token-replayed': true;
    /** A refresh token was used again by another client, or too late. Its login was ended. */
    'token-reused': true;
    /**
     * A used token came again after replays in two refreshes in a row. Two clients may share it, so the login was
     * ended.
     */
    'token-shared': true;
  }
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_ATTEMPTS = 3;

/** A refresh token with the current state of its login and user. */
interface PresentedLogin extends PresentedToken {
  readonly current: CurrentUser;
}

/** The answer to a refresh, before the database confirms it. */
interface PreparedAnswer {
  readonly answer: LoginAnswer;
  /** The stamp that the access token was issued for. */
  readonly stamp: string | undefined;
}

/**
 * Replaces refresh tokens. A token is replaced once. A client that presents it again gets the same successor for a
 * short time. After that, it ends the login.
 */
@Injectable()
export class RefreshTokens {
  private readonly settings: RefreshSettings;

  constructor(
    @Inject(refreshOptions.token) { settings }: ResolvedRefreshOptions,
    @Inject(LOGIN_STORE) private readonly store: LoginStore,
    private readonly access: AccessTokens,
    private readonly cache: LoginCache,
    private readonly seal: FamilySeal,
    private readonly ends: LoginEnds,
  ) {
    this.settings = settings;
  }

  /**
   * @param requireWritable called before the token is used up. The login stays live if it throws
   * @returns the same answer as a login
   * @throws AuthException 40101 when the token is malformed or no longer valid, with the reason; 50300 when too many
   * requests change the login at once; and what `requireWritable` throws
   */
  async refresh(
    text: string,
    client: Client | undefined,
    action: AuthAction,
    requireWritable?: (answer: LoginAnswer) => void,
  ): Promise<LoginAnswer> {
    const token = readToken(text);
    if (token === undefined) {
      throw invalidToken('malformed');
    }
    const from = clientKey(client);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const presented = await this.find(token, from);
      const successor = successorIn(presented, this.settings);
      if (successor === 'replaced') {
        throw invalidToken('replaced');
      }
      if (typeof successor === 'string') {
        await this.endReused(presented, `token-${successor}`, action);
        throw invalidToken('reused');
      }
      const { answer, stamp } = await this.prepare(presented, successor, action);
      requireWritable?.(answer);
      // Last, because it fails if the login has ended in the meantime.
      if (await this.settle(presented, successor)) {
        this.note(presented, successor, stamp, action);
        return answer;
      }
    }
    throw unavailable();
  }

  /** Ends the login of a token. @returns the user, or undefined when nothing ended */
  async end(text: string): Promise<UserId | undefined> {
    const token = readToken(text);
    const login = token && (await this.store.find(token.id));
    return login !== undefined && (await this.endAs(login, 'logged-out')) ? login.userId : undefined;
  }

  /** The login of a token with its user. @throws AuthException 40101 when it is over */
  private async find(token: RefreshToken, from: string): Promise<PresentedLogin> {
    this.cache.beginLookup(token.id);
    const now = Date.now();
    const login = await this.store.find(token.id);
    if (login === undefined) {
      throw invalidToken();
    }
    if (login.endedBy !== null) {
      this.cache.noteFoundEnd(login.id, login.endedBy);
      throw invalidToken(login.endedBy);
    }
    if (now >= login.expiresAt) {
      throw invalidToken('expired');
    }
    if (now - login.lastSeenAt >= this.settings.idleDays * DAY_MS) {
      throw await this.over(login, 'idle');
    }
    const current = await this.access.userOf(login.userId);
    if (current === undefined) {
      throw await this.over(login, 'disabled');
    }
    return { token, login, current, from, now };
  }

  private async prepare(
    { token, login, current, now }: PresentedLogin,
    { secret }: Successor,
    action: AuthAction,
  ): Promise<PreparedAnswer> {
    const expiresAt = this.access.endFrom(now, login.expiresAt);
    const proof: LoginProof = { ...login.proof, loginId: login.id, expiresAt };
    const issued = await action.run(() => this.access.issue(current, proof));
    if (issued === undefined) {
      throw await this.over(login, 'disabled');
    }
    const answer = {
      token: issued.token,
      user: summaryOf(issued.user),
      expiresAt,
      refreshToken: writeToken({ ...token, secret }),
      endsAt: Math.floor(login.expiresAt / 1000),
    };
    return { answer, stamp: issued.stamp };
  }

  /** @returns false when another request has ended the login, or replaced the token */
  private async settle({ token, login, from, now }: PresentedLogin, successor: Successor): Promise<boolean> {
    const { id, current: previous } = login;
    const { secret, salt } = successor;
    if (salt === undefined) {
      return this.settleReplay(login);
    }
    return this.store.rotate(id, previous, {
      previous,
      current: hashOf(secret),
      salt,
      rotatedAt: now,
      rotatedFrom: from,
      rotations: nextRotation(login.rotations),
      // If a clock is set back and later corrected, the login must not become idle.
      lastSeenAt: Math.max(login.lastSeenAt, now),
      // Sealed again, in case the key has changed.
      family: this.seal.seal(id, token.family),
    });
  }

  /** Records the first replay of a generation. Others change nothing. */
  private async settleReplay(login: StoredLogin): Promise<boolean> {
    const { id, rotations, replayedIn } = login;
    return (
      (replayedIn !== rotations && (await this.store.noteReplay(id, replayedIn, replayOf(login)))) ||
      (await this.store.find(id))?.endedBy === null
    );
  }

  private note(
    { login, current, now }: PresentedLogin,
    { salt }: Successor,
    stamp: string | undefined,
    action: AuthAction,
  ): void {
    const { id, userId, expiresAt } = login;
    this.cache.noteLive(id, { userId, expiresAt, stamp, knownAt: now });
    const about = { subjectId: userId, subject: current.user.username, detail: id };
    action.note(
      salt === undefined
        ? { ...about, type: 'token-replayed', handler: `token-replayed ${id}` }
        : { ...about, type: 'token-refreshed', kept: false },
    );
  }

  private async endReused(
    { login, current }: PresentedLogin,
    type: 'token-reused' | 'token-shared',
    action: AuthAction,
  ): Promise<void> {
    if (await this.endAs(login, 'reused')) {
      const about = { subjectId: login.userId, subject: current.user.username, detail: login.id };
      action.note({ ...about, type, success: false });
    }
  }

  private async over(login: StoredLogin, by: SessionEndReason): Promise<AuthException> {
    await this.endAs(login, by);
    return invalidToken(by);
  }

  private async endAs({ id, userId }: StoredLogin, by: SessionEndReason): Promise<boolean> {
    const hasEnded = await this.store.end(id, by, Date.now());
    if (hasEnded) {
      this.cache.noteEnd(id, by);
      this.ends.note({ userId, loginId: id, reason: by });
    }
    return hasEnded;
  }
}
