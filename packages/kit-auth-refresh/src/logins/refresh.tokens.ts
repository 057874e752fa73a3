import { Inject, Injectable } from '@nestjs/common';
import {
  type AuthAction,
  type AuthException,
  type Client,
  type LoginProof,
  type NotedEvent,
  type SessionEndReason,
  type UserId,
} from 'kit-auth';
import { type LoginAnswer, summaryOf } from 'kit-auth/extend';
import {
  type RefreshSettings,
  type ResolvedRefreshOptions,
  refreshOptions,
} from '../config/refresh.options.js';
import { LOGIN_STORE } from '../config/tokens.js';
import type { LoginStore, Rotation, StoredLogin } from '../stores/login-store.js';
import { nextRotation } from '../stores/stored-login.js';
import { FamilySeal } from '../tokens/family-seal.js';
import {
  hashOf,
  newSalt,
  readToken,
  type RefreshToken,
  successorOf,
  writeToken,
} from '../tokens/refresh-token.js';
import { AccessTokens, type CurrentUser } from './access.tokens.js';
import { clientKey } from './client-key.js';
import { LoginKnowledge } from './login-knowledge.js';
import { refused, tooBusy } from './refusals.js';

const DAY_MS = 24 * 60 * 60_000;
const MAX_ATTEMPTS = 3;

/** A refresh token with its login and user, as they are now. */
interface Presented {
  readonly token: RefreshToken;
  readonly login: StoredLogin;
  readonly current: CurrentUser;
  readonly from: string;
  readonly now: number;
}

/**
 * Replaces refresh tokens. A token is replaced once. Whoever presents it again gets the same successor for a moment, or
 * ends the login.
 */
@Injectable()
export class RefreshTokens {
  private readonly settings: RefreshSettings;

  constructor(
    @Inject(refreshOptions.token) { settings }: ResolvedRefreshOptions,
    @Inject(LOGIN_STORE) private readonly store: LoginStore,
    private readonly access: AccessTokens,
    private readonly knowledge: LoginKnowledge,
    private readonly seal: FamilySeal,
  ) {
    this.settings = settings;
  }

  /**
   * @returns the answer, which is that of a login
   * @throws AuthException 40101 when the token is malformed or no longer valid, with the reason; 50300 when the token is
   * being replaced by too many requests at once
   */
  async refresh(text: string, client: Client | undefined, action: AuthAction): Promise<LoginAnswer> {
    const token = readToken(text);
    if (token === undefined) {
      throw refused('malformed');
    }
    const from = clientKey(client);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const presented = await this.find(token, from);
      const secret = await this.successor(presented, action);
      if (secret !== undefined) {
        return this.answer(presented, secret, action);
      }
    }
    throw tooBusy();
  }

  /** Ends the login of a token. @returns the user, or undefined when nothing ended */
  async end(text: string): Promise<UserId | undefined> {
    const token = readToken(text);
    const login = token && (await this.store.find(token.id));
    return login !== undefined && (await this.endAs(login, 'logged-out')) ? login.userId : undefined;
  }

  /** The login of a token with its user. @throws AuthException 40101 when it is over */
  private async find(token: RefreshToken, from: string): Promise<Presented> {
    this.knowledge.beginQuestion(token.id);
    const now = Date.now();
    const login = await this.store.find(token.id);
    if (login === undefined) {
      throw refused();
    }
    if (login.endedBy !== null) {
      this.knowledge.noteFoundEnd(login.id, login.endedBy);
      throw refused(login.endedBy);
    }
    if (now >= login.expiresAt) {
      throw refused('expired');
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

  /** @returns undefined when another request was faster. @throws AuthException 40101 for a token that was used before */
  private async successor(presented: Presented, action: AuthAction): Promise<Buffer | undefined> {
    const { token, login, current, from, now } = presented;
    const about = { subjectId: login.userId, subject: current.user.username, detail: login.id };
    const hash = hashOf(token.secret);
    if (hash === login.current) {
      return this.rotate(presented, { ...about, type: 'token-refreshed', kept: false }, action);
    }
    if (hash === login.previous && login.salt === null) {
      throw refused('replaced');
    }
    const same = this.isInGrace(login, hash, from, now)
      ? successorOf(token.secret, login.salt ?? '')
      : undefined;
    if (same !== undefined && hashOf(same) === login.current) {
      action.note({ ...about, type: 'token-replayed' });
      return same;
    }
    if (await this.endAs(login, 'reused')) {
      action.note({ ...about, type: 'token-reused', success: false });
    }
    throw refused('reused');
  }

  private async rotate(
    { token, login, from, now }: Presented,
    event: NotedEvent,
    action: AuthAction,
  ): Promise<Buffer | undefined> {
    const salt = newSalt();
    const secret = successorOf(token.secret, salt);
    const rotation: Rotation = {
      ...{ previous: login.current, current: hashOf(secret), salt },
      ...{ rotatedAt: now, rotatedFrom: from, rotations: nextRotation(login) },
      // A clock that was set back must not make the login idle once it is right again.
      lastSeenAt: Math.max(login.lastSeenAt, now),
      // Again, in case that the key was changed.
      family: this.seal.seal(login.id, token.family),
    };
    if (!(await this.store.rotate(login.id, login.current, rotation))) {
      return undefined;
    }
    action.note(event);
    return secret;
  }

  private isInGrace(login: StoredLogin, hash: string, from: string, now: number): boolean {
    const { graceSeconds, graceFor } = this.settings;
    return (
      hash === login.previous &&
      login.rotatedAt !== null &&
      graceSeconds > 0 &&
      now - login.rotatedAt <= graceSeconds * 1000 &&
      (graceFor === 'anyone' || login.rotatedFrom === from)
    );
  }

  private async answer(
    { token, login, current, now }: Presented,
    secret: Buffer,
    action: AuthAction,
  ): Promise<LoginAnswer> {
    const expiresAt = this.access.endFrom(now, login.expiresAt);
    const proof: LoginProof = { ...login.proof, loginId: login.id, expiresAt };
    const issued = await action.run(() => this.access.issue(current, proof));
    if (issued === undefined) {
      throw await this.over(login, 'disabled');
    }
    const { user, stamp } = issued;
    const { id, userId, expiresAt: loginEnd } = login;
    this.knowledge.noteLive(id, { userId, expiresAt: loginEnd, stamp, knownAt: now });
    return {
      ...{ token: issued.token, expiresAt, endsAt: Math.floor(loginEnd / 1000) },
      user: summaryOf(user),
      refreshToken: writeToken({ ...token, secret }),
    };
  }

  private async over(login: StoredLogin, by: SessionEndReason): Promise<AuthException> {
    await this.endAs(login, by);
    return refused(by);
  }

  private async endAs({ id }: StoredLogin, by: SessionEndReason): Promise<boolean> {
    const hasEnded = await this.store.end(id, by, Date.now());
    if (hasEnded) {
      this.knowledge.noteEnd(id, by);
    }
    return hasEnded;
  }
}
