import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { factorsOptions, type ResolvedFactorsOptions } from '../factors.options.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The id of the key, and in base64url: a nonce of 12 bytes, and the encrypted content with a tag of 16 bytes. */
const FORM = /^([\w-]{8})\.([\w-]{16})\.([\w-]{22,})$/;

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts the secrets of devices with AES-256-GCM. A secret can only be opened for its own user, so it is useless in
 * the row of another user.
 */
@Injectable()
export class SecretSealer {
  private readonly keys: readonly Key[];

  /** The first key seals. All keys open. */
  constructor(@Inject(factorsOptions.token) { settings }: Pick<ResolvedFactorsOptions, 'settings'>) {
    this.keys = settings.keys.map((key) => {
      const bytes = Buffer.from(hkdfSync('sha256', key, '', 'kit-auth-factors secret, version 1', 32));
      return { id: hash('sha256', bytes, 'base64url').slice(0, 8), bytes };
    });
  }

  /** @param userId as a string */
  seal(secret: Buffer, userId: string): string {
    const key = this.keys[0] as Key;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(boundTo(key, userId));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    return `${key.id}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
  }

  /** @returns undefined when no key opens it for this user */
  open(text: string, userId: string): Buffer | undefined {
    const [, id, nonce = '', body = ''] = FORM.exec(text) ?? [];
    const key = this.keys.find((known) => known.id === id);
    if (key === undefined) {
      return undefined;
    }
    const sealed = Buffer.from(body, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(boundTo(key, userId))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  /** Whether a secret was sealed with a key other than the first one. */
  isOutdated(text: string): boolean {
    return !text.startsWith(`${this.keys[0]?.id}.`);
  }
}

function boundTo({ id }: Key, userId: string): Buffer {
  return Buffer.from(JSON.stringify(['auth_totp', id, userId]));
}
