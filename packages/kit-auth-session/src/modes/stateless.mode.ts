import type { LoginProof, LoginUser, ResolvedLogin, UserId } from 'kit-auth';
import { endOfLogin, ownerOf, ProofReader, writeProof } from 'kit-auth/login';
import { invalidToken } from 'kit-auth/feature';
import { listOf, MAX_LIFETIME_MS, type SessionSettings } from '../session.options.js';
import { endOf } from '../stores/ends-of-all.js';
import type { SessionEnd, SessionStore, StoredSession } from '../stores/session-store.js';
import { type SealedSession, TokenSealer } from '../tokens/sealed-token.js';
import type { Found, Lookup } from './lookup.js';
import type { EndingAll, SessionMode } from './session-mode.js';

/**
 * Tokens contain their sessions, encrypted. The store contains only sessions that were ended early and, for each user,
 * the time up to which all sessions have ended.
 */
export class StatelessMode implements SessionMode {
  private readonly sealer: TokenSealer;
  private readonly proofs = new ProofReader();
  private readonly lifetimeMs: number;

  constructor(
    { secret = [], timeoutMinutes }: SessionSettings,
    private readonly store: SessionStore,
    private readonly lookup: Lookup,
  ) {
    this.sealer = new TokenSealer(listOf(secret));
    this.lifetimeMs = timeoutMinutes * 60_000;
  }

  async issue({ userId }: LoginUser, proof: LoginProof): Promise<string> {
    const createdAt = Date.now();
    const expiresAt = Math.min(createdAt + this.lifetimeMs, endOfLogin(proof));
    return this.sealer.seal({ userId, createdAt, expiresAt, proof: writeProof(proof) });
  }

  /** The new session expires when the old one would have. */
  async replace(former: string, { userId }: LoginUser, proof: LoginProof): Promise<string> {
    const session = this.sealer.open(former);
    if (typeof session === 'string' || session.userId !== userId) {
      throw invalidToken('malformed');
    }
    const all = await this.endOfAllFor(session);
    // The same age as the old session, because an end of all sessions may have begun by now and be stored later. But later
    // than the stored end, which spared the old session.
    const createdAt = Math.max(session.createdAt, (all?.createdAt ?? 0) + 1);
    const expiresAt = Math.min(session.expiresAt, endOfLogin(proof));
    const token = this.sealer.seal({ userId, createdAt, expiresAt, proof: writeProof(proof) });
    const successorId = this.idOf(token) as string;
    const kept = await this.keepEnd({ ...session, endedBy: 'replaced', successorId }, Date.now());
    if (kept.successorId !== successorId) {
      throw invalidToken(kept.endedBy);
    }
    await this.endOfAllFor({ id: successorId, userId, createdAt });
    return token;
  }

  /** The stored end of all sessions of a user. @throws AuthException 40101 when it did not spare this session */
  private async endOfAllFor(
    session: Pick<SealedSession, 'id' | 'userId' | 'createdAt'>,
  ): Promise<StoredSession | undefined> {
    const all = await this.store.find(allOf(session.userId));
    const end = endOf(session, all);
    if (end !== undefined) {
      throw invalidToken(end);
    }
    return all;
  }

  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin> {
    const session = this.sealer.open(token);
    if (typeof session === 'string') {
      throw invalidToken(session);
    }
    if (!this.lookup.canFind(session.userId)) {
      throw invalidToken('malformed');
    }
    const { createdAt, expiresAt } = session;
    if (Date.now() >= expiresAt || expiresAt - createdAt > this.lifetimeMs) {
      throw invalidToken('expired');
    }
    const found = this.lookup.find(session.userId, [session.id, allOf(session.userId)]);
    return found instanceof Promise
      ? found.then((result) => this.admit(session, result))
      : this.admit(session, found);
  }

  idOf(token: string): string | undefined {
    const session = this.sealer.open(token);
    return typeof session === 'string' ? undefined : session.id;
  }

  /** Stores the end until the token would have expired. */
  async logout(token: string, now: number, by: SessionEnd = 'logged-out'): Promise<UserId | undefined> {
    const session = this.sealer.open(token);
    let ending = typeof session === 'string' ? undefined : session;
    while (ending !== undefined) {
      const { successorId } = await this.keepEnd({ ...ending, endedBy: by }, now);
      ending = successorId === undefined ? undefined : { ...ending, id: successorId };
    }
    return typeof session === 'string' ? undefined : session.userId;
  }

  /** @returns the end that came first */
  private async keepEnd(
    { id, userId, expiresAt, endedBy, successorId }: EndedSession,
    now: number,
  ): Promise<StoredSession> {
    const end: StoredSession = {
      id,
      userId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt,
      endedBy,
      address: undefined,
      userAgent: undefined,
      successorId,
    };
    if (this.store.keepFirstEnd !== undefined) {
      return this.store.keepFirstEnd(end);
    }
    await this.store.keepEnd(end);
    return end;
  }

  /** @returns 0, because the number is unknown */
  async endAllOf(
    userId: UserId,
    by: SessionEnd,
    now: number,
    { exceptId, onBehalfOf }: EndingAll,
  ): Promise<number> {
    const asking = onBehalfOf === undefined ? undefined : this.sealer.open(onBehalfOf);
    await this.store.keepEndOfAll?.({
      id: allOf(userId),
      userId,
      at: now,
      by,
      expiresAt: now + MAX_LIFETIME_MS,
      exceptId,
      onBehalfOf: typeof asking === 'string' ? undefined : asking,
    });
    return 0;
  }

  private admit(session: SealedSession, { sessions: [own, all], user }: Found): ResolvedLogin {
    const end = own?.endedBy ?? endOf(session, all);
    if (end !== undefined) {
      throw invalidToken(end);
    }
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    return { user, proof: this.proofs.read(session.id, session.proof) };
  }
}

type EndedSession = SealedSession & Pick<StoredSession, 'endedBy' | 'successorId'>;

/** The id under which the end of all sessions of a user is stored. */
function allOf(userId: UserId): string {
  return `${ownerOf(userId)}.all`;
}
