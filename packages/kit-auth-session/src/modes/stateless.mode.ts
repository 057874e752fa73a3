import type { LoginUser } from 'kit-auth';
import type { SessionSettings } from '../config/session.options.js';
import type { SessionEnd, SessionStore, StoredSession } from '../stores/session-store.js';
import { type SealedSession, TokenSealer } from '../tokens/sealed-token.js';
import { userIdOf } from '../tokens/session-token.js';
import type { Found, Lookup } from './lookup.js';
import { refused, type SessionMode } from './session-mode.js';

/**
 * A token holds its session, sealed; the store has only what was ended before its time: single sessions, and for
 * a user the moment up to which all of theirs are over.
 */
export class StatelessMode implements SessionMode {
  private readonly sealer: TokenSealer;

  constructor(
    private readonly settings: SessionSettings,
    private readonly store: SessionStore,
    private readonly lookup: Lookup,
  ) {
    this.sealer = new TokenSealer(settings.secrets);
  }

  async issue({ userId }: LoginUser): Promise<string> {
    const now = Date.now();
    return this.sealer.seal(userId, now, now + this.settings.lifetimeMs);
  }

  resolve(token: string): LoginUser | Promise<LoginUser> {
    const session = this.sealer.open(token);
    if (typeof session === 'string') {
      throw refused(session);
    }
    if (Date.now() >= session.expiresAt) {
      throw refused('expired');
    }
    const found = this.lookup.find(session.userId, [session.id, allOf(session.userId)]);
    return found instanceof Promise ? found.then((it) => admit(session, it)) : admit(session, found);
  }

  idOf(token: string): string | undefined {
    const session = this.sealer.open(token);
    return typeof session === 'string' ? undefined : session.id;
  }

  async end(id: string, by: SessionEnd, now: number): Promise<boolean> {
    const userId = userIdOf(id);
    if (userId === undefined || (await this.store.find(id)) !== undefined) {
      return false;
    }
    await this.store.keepEnd(this.endOf(id, userId, by, now));
    return true;
  }

  /** How many there were is not known: 0. */
  async endAllOf(userId: number, by: SessionEnd, now: number, exceptId: string | undefined): Promise<number> {
    await this.store.keepEnd({ ...this.endOf(allOf(userId), userId, by, now), userAgent: exceptId });
    return 0;
  }

  /** Kept as long as a token that was issued until now may live. */
  private endOf(id: string, userId: number, endedBy: SessionEnd, now: number): StoredSession {
    const times = { createdAt: now, lastSeenAt: now, expiresAt: now + this.settings.lifetimeMs };
    return { id, userId, ...times, address: undefined, userAgent: undefined, endedBy };
  }
}

/** Where the end of all sessions of a user is kept. */
function allOf(userId: number): string {
  return `${userId.toString(36)}.all`;
}

function admit({ id, createdAt }: SealedSession, { sessions: [own, all], user }: Found): LoginUser {
  if (own?.endedBy !== undefined) {
    throw refused(own.endedBy);
  }
  if (all?.endedBy !== undefined && createdAt <= all.createdAt && all.userAgent !== id) {
    throw refused(all.endedBy);
  }
  if (user === undefined) {
    throw refused('disabled');
  }
  return user;
}
