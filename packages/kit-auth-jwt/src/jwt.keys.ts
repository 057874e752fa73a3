import { createSecretKey } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { Addressing } from './addressing.js';
import { KeyRing, RingKey } from './keys/key-ring.js';
import { MIN_SECRET_BYTES, readKeys } from './keys/read-keys.js';
import { SecretKey } from './keys/secret-key.js';

/** The default key, without `kit.auth.jwt.secret`. It is public, so anyone can sign tokens with it. */
const PLACEHOLDER_SECRET = 'kit-auth-placeholder-secret--override-kit.auth.jwt.secret';

/** A signer has less time than the whole login, so that the log names its key. */
const SHARE_OF_SIGNERS = 0.9;

/** The keys of the application, read from its options on first use. */
@Injectable()
export class JwtKeys {
  private knownRing: KeyRing | undefined;
  private knownAddressing: Addressing | undefined;

  /** @param given undefined without the core: `JwtAuthProvider` then refuses to start */
  constructor(@Optional() @Inject(KIT_AUTH_SETTINGS) private readonly given?: KitAuthSettings) {}

  /** @throws IllegalStateException for keys that cannot be used */
  get ring(): KeyRing {
    return (this.knownRing ??= this.readRing());
  }

  get addressing(): Addressing {
    return (this.knownAddressing ??= new Addressing(this.settings.jwt));
  }

  /** The options that have the published placeholder. */
  get placeholders(): string[] {
    const { keys, secret } = this.ring;
    const isPublic = (key: RingKey | undefined) =>
      key?.material instanceof SecretKey && key.material.is(PLACEHOLDER_SECRET);
    return [
      ...(isPublic(secret) ? ['kit.auth.jwt.secret'] : []),
      ...(keys.some(isPublic) ? ['kit.auth.jwt.keys'] : []),
    ];
  }

  /** @throws IllegalStateException for keys that cannot be used, or that end too early */
  check(lifetimeSeconds: number): void {
    const { ring } = this;
    const { secret = PLACEHOLDER_SECRET, issuer } = this.settings.jwt;
    const bytes = Buffer.byteLength(secret);
    if (ring.secret !== undefined && bytes < MIN_SECRET_BYTES) {
      throw new IllegalStateException(
        `kit.auth.jwt.secret has ${bytes} bytes in UTF-8; HS256 needs at least ${MIN_SECRET_BYTES}. ` +
          'Generate one, for example with: npx kit-auth secret',
      );
    }
    const signer = ring.signer();
    if (signer === undefined) {
      throw new IllegalStateException(
        'kit.auth.jwt.keys has no key that signs: each is next, past its until, or only a public key. Remove next from ' +
          'a private key. To move from kit.auth.jwt.secret, set it together with kit.auth.jwt.legacyUntil.',
      );
    }
    if (!signer.isLegacy && signer.endsAt < Date.now() / 1000 + lifetimeSeconds) {
      throw new IllegalStateException(
        `kit.auth.jwt.keys: the key ${signer.kid} signs, but its until is sooner than the end of a new token, which lives ` +
          `${lifetimeSeconds / 60} minutes. Put the key that follows first, without next, or set a later until.`,
      );
    }
    if (issuer === undefined && ring.keys.some(({ jwk }) => jwk !== undefined)) {
      throw new IllegalStateException(
        'kit.auth.jwt.keys has asymmetric keys, so that others can verify tokens: set kit.auth.jwt.issuer, which tells them ' +
          'whose tokens they are.',
      );
    }
  }

  private get settings(): KitAuthSettings {
    if (this.given === undefined) {
      throw new IllegalStateException(
        'KitAuthJwtModule needs KitAuthModule.forRoot() in the same application.',
      );
    }
    return this.given;
  }

  private readRing(): KeyRing {
    const { jwt, extensionTimeoutMs } = this.settings;
    const { keys, secret = PLACEHOLDER_SECRET, legacyUntil } = jwt;
    if (keys === undefined) {
      return ringOfSecret(Buffer.from(secret));
    }
    const ring = readKeys(keys, Math.floor(extensionTimeoutMs * SHARE_OF_SIGNERS));
    return secret === PLACEHOLDER_SECRET || legacyUntil === undefined
      ? new KeyRing(ring)
      : new KeyRing(ring, ofSecret(Buffer.from(secret), { until: legacyUntil, isLegacy: true }));
  }
}

/** The keys without `kit.auth.jwt.keys`. */
export function ringOfSecret(secret: Buffer): KeyRing {
  return new KeyRing([], ofSecret(secret));
}

function ofSecret(secret: Buffer, role: { until?: string; isLegacy?: boolean } = {}): RingKey {
  return new RingKey(new SecretKey(createSecretKey(secret)), { ...role, kid: undefined });
}
