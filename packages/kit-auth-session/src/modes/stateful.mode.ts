import { Logger } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type KitAuthContext,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
  type UserId,
} from 'kit-auth';
import { asciiJson, endOfLogin, type LoginEnds, ProofReader, writeProof } from 'kit-auth/login';
import { describeError } from 'kit-auth/tools';
import { invalidToken } from 'kit-auth/feature';
import type { SessionSettings } from '../session.options.js';
import type { Session, SessionEnd, SessionStore } from '../stores/session-store.js';
import { newToken, readToken } from '../tokens/session-token.js';
import type { Found, Lookup } from './lookup.js';
import type { EndingAll, SessionMode } from './session-mode.js';

/** The maximum delay of `lastSeenAt`, so that most requests cause no write. */
const SEEN_EVERY_MS = 60_000;

/** Tokens name sessions in the store. */
export class StatefulMode implements SessionMode {
  private readonly logger = new Logger('KitAuthSession');
  private readonly lifetimeMs: number;
  private readonly idleMs: number | undefined;
  private readonly seenEveryMs: number;
  private readonly writing = new Set<string>();
  private readonly proofs = new ProofReader();

  constructor(
    private readonly settings: SessionSettings,
    private readonly store: SessionStore,
    private readonly lookup: Lookup,
    private readonly context: KitAuthContext,
    private readonly ends: LoginEnds,
  ) {
    this.lifetimeMs = settings.timeoutMinutes * 60_000;
    this.idleMs = settings.idleMinutes && settings.idleMinutes * 60_000;
    this.seenEveryMs = Math.min(SEEN_EVERY_MS, (this.idleMs ?? Infinity) / 10);
  }

  /** @throws AuthException 40300 with the reason `session-limit` beyond `maxPerUser` with `overflow: 'refuse'` */
  async issue(user: LoginUser, proof: LoginProof): Promise<string> {
    const { idleMs } = this;
    const { maxPerUser: max, overflow } = this.settings;
    const { token, session } = this.newSession(user, proof);
    const seenSince = idleMs === undefined ? 0 : session.createdAt - idleMs + 1;
    const ended = (loginId: string) => this.ends.note({ userId: user.userId, loginId, reason: 'replaced' });
    const limit = max === undefined ? undefined : { max, overflow, seenSince, ended };
    if (!(await this.store.create(session, limit))) {
      throw new AuthException(AuthErrorCode.FORBIDDEN, { reason: 'session-limit' });
    }
    return token;
  }

  /** The new session expires when the old one would have. */
  async replace(former: string, user: LoginUser, proof: LoginProof): Promise<string> {
    const id = this.idOf(former) ?? '';
    const known = await this.store.find(id);
    if (known?.userId !== user.userId) {
      throw invalidToken();
    }
    const { token, session } = this.newSession(user, proof, known.expiresAt);
    if (!(await this.replaceStored(id, session))) {
      throw invalidToken((await this.store.find(id))?.endedBy);
    }
    return token;
  }

  private async replaceStored(id: string, session: Session): Promise<boolean> {
    if (this.store.replace !== undefined) {
      return this.store.replace(id, session);
    }
    await this.store.create(session);
    const isReplaced = await this.store.end(id, 'replaced', session.createdAt);
    if (!isReplaced) {
      await this.store.end(session.id, 'replaced', session.createdAt);
    }
    return isReplaced;
  }

  private newSession(user: LoginUser, proof: LoginProof, end?: number) {
    const now = Date.now();
    const { userId } = user;
    const { token, id } = newToken(userId);
    const client = this.context.client();
    const proofText = writeProof(proof);
    const session: Session = {
      id,
      userId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: Math.min(end ?? now + this.lifetimeMs, endOfLogin(proof)),
      address: client?.address?.slice(0, 64),
      userAgent: client?.userAgent?.replace(/[^ -~]/g, '?').slice(0, 255),
      ...(proofText !== undefined && { proof: asciiJson(proofText) }),
    };
    return { token, session };
  }

  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin> {
    const reference = readToken(token);
    if (reference === undefined) {
      throw invalidToken('malformed');
    }
    const { userId, id } = reference;
    if (userId === undefined) {
      const found = this.lookup.findOwned(id);
      return found instanceof Promise ? found.then((result) => this.admit(result)) : this.admit(found);
    }
    if (!this.lookup.canFind(userId)) {
      throw invalidToken('malformed');
    }
    const found = this.lookup.find(userId, [id]);
    return found instanceof Promise
      ? found.then((result) => this.admit(result, userId))
      : this.admit(found, userId);
  }

  idOf(token: string): string | undefined {
    return readToken(token)?.id;
  }

  async logout(token: string, now: number, by: SessionEnd = 'logged-out'): Promise<UserId | undefined> {
    const reference = readToken(token);
    if (reference === undefined || !(await this.store.end(reference.id, by, now))) {
      return undefined;
    }
    const { id, userId } = reference;
    return userId === undefined && this.ends.areHeard ? (await this.store.find(id))?.userId : userId;
  }

  async end(id: string, by: SessionEnd, now: number, onBehalfOf: string | undefined): Promise<boolean> {
    return this.store.end(id, by, now, onBehalfOf && this.idOf(onBehalfOf));
  }

  async endAllOf(
    userId: UserId,
    by: SessionEnd,
    now: number,
    { exceptId, onBehalfOf }: EndingAll,
  ): Promise<number> {
    return this.store.endAllOf(userId, by, now, exceptId, onBehalfOf && this.idOf(onBehalfOf));
  }

  async liveIdOf(id: string, now: number): Promise<string | undefined> {
    const session = await this.store.find(id);
    if (session?.endedBy === 'replaced' && session.successorId !== undefined) {
      return this.liveIdOf(session.successorId, now);
    }
    const isLive =
      session !== undefined &&
      session.endedBy === undefined &&
      now < session.expiresAt &&
      !this.isIdle(session, now);
    return isLive ? id : undefined;
  }

  async listOf(userId: UserId, now: number): Promise<Session[]> {
    return (await this.store.listOf(userId, now)).filter((session) => !this.isIdle(session, now));
  }

  private admit({ sessions: [session], user }: Found, userId = session?.userId): ResolvedLogin {
    if (session === undefined || session.userId !== userId) {
      throw invalidToken();
    }
    const now = Date.now();
    if (session.endedBy !== undefined) {
      throw invalidToken(session.endedBy);
    }
    if (now >= session.expiresAt) {
      throw invalidToken('expired');
    }
    if (this.isIdle(session, now)) {
      this.inBackground(session.id, () => this.endIdle(session, now));
      throw invalidToken('idle');
    }
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    if (now - session.lastSeenAt >= this.seenEveryMs) {
      this.inBackground(session.id, () => this.store.touch(session.id, now));
    }
    return { user, proof: this.proofs.read(session.id, session.proof) };
  }

  private async endIdle({ id, userId }: Session, now: number): Promise<void> {
    if (await this.store.end(id, 'idle', now)) {
      this.ends.note({ userId, loginId: id, reason: 'idle' });
    }
  }

  private isIdle({ lastSeenAt }: Session, now: number): boolean {
    return this.idleMs !== undefined && now - lastSeenAt >= this.idleMs;
  }

  /** Writes in the background. Neither delays the request nor makes it fail. Runs one write per session at a time. */
  private inBackground(id: string, write: () => unknown): void {
    if (!this.writing.has(id)) {
      this.writing.add(id);
      void this.attempt(write).finally(() => this.writing.delete(id));
    }
  }

  private async attempt(write: () => unknown): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.logger.warn(`[auth] a session was not updated: ${describeError(error)}`);
    }
  }
}
