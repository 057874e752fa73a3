import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user as authenticators know them. The handle names nobody and never changes. */
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
