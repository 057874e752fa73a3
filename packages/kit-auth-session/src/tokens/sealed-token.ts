import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import { isStringId, isUserId, ownerOf } from 'kit-auth/login';

export const SEALED_PREFIX = 'kass1_';
/**
 * The prefix, the id of the key, and in base64url: a nonce of 12 bytes, the encrypted content, and a tag of 16 bytes.
 * The content has 40 bytes, up to 129 bytes of a string id, and up to 512 bytes of proof. The number of bytes modulo 3
 * is always 2, so that one pattern can check the last character.
 */
const FORM = /^(kass1_([\w-]{8})_)((?:[\w-]{4}){22,236}[\w-]{2}[AEIMQUYcgkosw048])$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SESSION_ID_BYTES = 16;
/** Marks a string id. Numeric ids are never 0. */
const TEXT_FOLLOWS = 0;
const FIXED_BYTES = SESSION_ID_BYTES + 24;

/** The content of a sealed token. Times are milliseconds since 1970. */
export interface SealedSession {
  /** The owner of `ownerOf()` and 16 random bytes. */
  id: string;
  userId: UserId;
  createdAt: number;
  expiresAt: number;
  /** The result of `writeProof()`. */
  proof: string | undefined;
}

interface Key {
  id: string;
  bytes: Buffer;
}

/** Encrypts sessions with AES-256-GCM under keys derived from secrets. The first secret encrypts, all decrypt. */
export class TokenSealer {
  private readonly keys: readonly Key[];

  /** @param secrets at least one, each of at least 32 bytes */
  constructor(secrets: readonly string[]) {
    this.keys = secrets.map((secret) => {
      const bytes = Buffer.from(
        hkdfSync('sha256', secret, '', 'kit-auth-session sealed token, version 1', 32),
      );
      return { bytes, id: createHash('sha256').update(bytes).digest('base64url').slice(0, 8) };
    });
  }

  seal({ userId, createdAt, expiresAt, proof = '' }: Omit<SealedSession, 'id'>): string {
    const { id, bytes } = this.keys[0] as Key;
    const head = `${SEALED_PREFIX}${id}_`;
    // JSON may end with spaces. They pad the length to a multiple of 3.
    const rest = isStringId(userId) ? withTextId(userId, proof) : Buffer.from(proof);
    const text = Buffer.alloc(FIXED_BYTES + 3 * Math.ceil(rest.length / 3), ' ');
    randomBytes(SESSION_ID_BYTES).copy(text);
    rest.copy(text, FIXED_BYTES);
    [isStringId(userId) ? TEXT_FOLLOWS : userId, createdAt, expiresAt].forEach((value, i) =>
      text.writeBigUInt64BE(BigInt(value), SESSION_ID_BYTES + 8 * i),
    );
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(head));
    const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return head + sealed.toString('base64url');
  }

  /** @returns `malformed` for strings of another form, `signature` for tokens that no key decrypts */
  open(token: string): SealedSession | 'malformed' | 'signature' {
    const [, head, keyId, body] = FORM.exec(token) ?? [];
    if (head === undefined || body === undefined) {
      return 'malformed';
    }
    const key = this.keys.find(({ id }) => id === keyId);
    const text = key && open(key.bytes, head, Buffer.from(body, 'base64url'));
    if (text === undefined) {
      return 'signature';
    }
    const [number, createdAt, expiresAt] = [0, 8, 16].map((at) =>
      Number(text.readBigUInt64BE(SESSION_ID_BYTES + at)),
    ) as [number, number, number];
    const { userId, end } = number === TEXT_FOLLOWS ? textIdIn(text) : { userId: number, end: FIXED_BYTES };
    if (!isUserId(userId)) {
      return 'malformed';
    }
    const id = `${ownerOf(userId)}.${text.subarray(0, SESSION_ID_BYTES).toString('base64url')}`;
    const proof = text.toString('utf8', end).trimEnd();
    return { id, userId, createdAt, expiresAt, proof: proof === '' ? undefined : proof };
  }
}

function withTextId(id: string, proof: string): Buffer {
  return Buffer.concat([Buffer.of(id.length), Buffer.from(id + proof)]);
}

/** A byte with the length of the id, and the id in ASCII. */
function textIdIn(text: Buffer): { userId: UserId; end: number } {
  const start = FIXED_BYTES + 1;
  const end = start + (text[FIXED_BYTES] ?? 0);
  return { userId: text.toString('latin1', start, end) as unknown as UserId, end };
}

function open(key: Buffer, head: string, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(head))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
