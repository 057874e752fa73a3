import { createHmac, hash, randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import { hasChecksum, withChecksum } from 'kit-auth/tools';
import { isUserId, ownerOf } from 'kit-auth/login';

const FAMILY_BYTES = 16;
const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** `katr_`, the owner of `ownerOf()`, 128 and 256 bits in base64url, and a CRC-32 of all that in base 36. */
const FORM =
  /^(katr_([1-9a-z][0-9a-z]{0,10}|[\w-]{16})_([\w-]{21}[AQgw])_([\w-]{42}[AEIMQUYcgkosw048]))_([0-9a-z]{7})$/;
/** The longest string of this form. */
const MAX_LENGTH = 96;
const NUMBER_FORM = /^[0-9a-z]{1,11}$/;

/** The parts of a refresh token. */
export interface RefreshToken {
  /** Names the login in `GET sessions` and in access tokens. Derived from the family. */
  readonly id: string;
  readonly owner: string;
  /** The secret of the login. It does not change. Without it, the id is not enough to present a token. */
  readonly family: Buffer;
  /** The secret of this token. Each refresh replaces it. */
  readonly secret: Buffer;
  /** Undefined for string ids: only the row contains them. */
  readonly userId: UserId | undefined;
}

/** The first token of a new login. */
export function newToken(userId: UserId): RefreshToken {
  const owner = ownerOf(userId);
  const family = randomBytes(FAMILY_BYTES);
  return { id: idOf(owner, family), owner, family, secret: newSecret(), userId };
}

/** @returns undefined for malformed tokens */
export function readToken(text: string): RefreshToken | undefined {
  const [, body, owner, family, secret, check] = (text.length <= MAX_LENGTH && FORM.exec(text)) || [];
  if (body === undefined || owner === undefined || family === undefined || secret === undefined) {
    return undefined;
  }
  if (!hasChecksum(body, check)) {
    return undefined;
  }
  const userId = NUMBER_FORM.test(owner) ? Number.parseInt(owner, 36) : undefined;
  if (userId !== undefined && !isUserId(userId)) {
    return undefined;
  }
  const bytes = Buffer.from(family, 'base64url');
  return {
    id: idOf(owner, bytes),
    owner,
    userId,
    family: bytes,
    secret: Buffer.from(secret, 'base64url'),
  };
}

export function writeToken({
  owner,
  family,
  secret,
}: Pick<RefreshToken, 'owner' | 'family' | 'secret'>): string {
  return withChecksum(`katr_${owner}_${family.toString('base64url')}_${secret.toString('base64url')}`);
}

/** The hash of a secret, as the table stores it. */
export function hashOf(secret: Buffer): string {
  return hash('sha256', secret, 'base64url');
}

/** The id of a login: its owner up to a dot, and the hash of its family. */
export function idOf(owner: string, family: Buffer): string {
  return `${owner}.${hashOf(family)}`;
}

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('base64url');
}

/** Only the holder of a secret can compute its successor. The same salt gives the same successor. */
export function successorOf(secret: Buffer, salt: string): Buffer {
  return createHmac('sha256', secret).update(Buffer.from(salt, 'base64url')).digest();
}

/**
 * Hides the family of a login in its row. `POST fresh` issues a refresh token without being shown one, so it needs the
 * family, which the id does not reveal. Nor does a copy of the table.
 */
export class FamilySeal {
  /** @param key a secret of the application */
  constructor(private readonly key: string) {}

  /** The mask of a login's id. A login has one family, so the mask is used only once. */
  seal(id: string, family: Buffer): string {
    return this.masked(id, family).toString('base64url');
  }

  /** @returns undefined when it was sealed with another key, or for another login */
  open(id: string, sealed: string): Buffer | undefined {
    const family = this.masked(id, Buffer.from(sealed, 'base64url'));
    return id.endsWith(`.${hashOf(family)}`) ? family : undefined;
  }

  private masked(id: string, bytes: Buffer): Buffer {
    const mask = createHmac('sha256', this.key).update(`kit-auth-refresh family ${id}`).digest();
    return Buffer.from(bytes.map((byte, i) => byte ^ (mask[i] ?? 0)));
  }
}
