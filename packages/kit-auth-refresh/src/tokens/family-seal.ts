import { createHmac } from 'node:crypto';
import { hashOf } from './refresh-token.js';

/**
 * Hides the family of a login in its row. `POST fresh` issues a refresh token without being shown one, so it needs the
 * family, which the id does not reveal. A copy of the table alone reveals it neither.
 */
export class FamilySeal {
  /** @param key a secret of the application */
  constructor(private readonly key: string) {}

  /** A login has one family, so the mask of its id hides nothing else. */
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
