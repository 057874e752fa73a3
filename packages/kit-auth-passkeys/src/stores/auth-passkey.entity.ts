import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A passkey of a user. Times are milliseconds since 1970. */
@Entity({ name: 'auth_passkey' })
export class AuthPasskey {
  /** The SHA-256 hash of the credential id, in hexadecimal. Credential ids are too long for a key of MariaDB. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** At most 1,023 bytes, in base64url. */
  @Column({ type: 'varchar', length: 1400 })
  credentialId!: string;

  /** The user id as a string, also for numeric ids. */
  @Index()
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  /** A COSE key in base64url. */
  @Column({ type: 'varchar', length: 1400 })
  publicKey!: string;

  /** The COSE number of the algorithm: -8 (Ed25519), -7 (ES256) or -257 (RS256). */
  @Column({ type: 'int' })
  algorithm!: number;

  /** The highest counter of the authenticator; 0 if it does not count. */
  @Column({ type: 'bigint', transformer: wholeNumber })
  counter!: number;

  /** `multi` if the passkey can be on several devices, for example in a password manager. Never changes. */
  @Column({ type: 'varchar', length: 8 })
  deviceType!: 'single' | 'multi';

  @Column({ type: 'boolean' })
  backedUp!: boolean;

  /** How browsers reach the authenticator, for example `internal,hybrid`. */
  @Column({ type: 'varchar', length: 255 })
  transports!: string;

  /** The model of the authenticator. Unverified. */
  @Column({ type: 'varchar', length: 36 })
  aaguid!: string;

  @Column({ type: 'bigint', transformer: wholeNumber })
  createdAt!: number;

  @Column({ type: 'bigint', nullable: true, transformer: wholeNumber })
  lastUsedAt!: number | null;

  /** The number of uses. Each use compares it, so that one of several concurrent uses succeeds. */
  @Column({ type: 'int', default: 0 })
  version!: number;
}

/** WebAuthn user handle: opaque and permanent. */
@Entity({ name: 'auth_passkey_user' })
export class AuthPasskeyUser {
  /** A short form of the user id. Some databases ignore case in keys, but ids may differ in case alone. */
  @PrimaryColumn({ type: 'varchar', length: 16 })
  id!: string;

  /** The user id as a string, also for numeric ids. */
  @Column({ type: 'varchar', length: 128 })
  userId!: string;

  /** 32 random bytes in base64url. */
  @Column({ type: 'varchar', length: 64, unique: true })
  handle!: string;
}
