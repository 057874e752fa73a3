import { wholeNumber } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A logout token that was used, or a logout that also ends logins that are not complete yet. */
@Entity({ name: 'auth_identity_logout' })
export class AuthIdentityLogout {
  /** The SHA-256 hash of issuer and `jti`, or of issuer, `sid` and `sub`, in hexadecimal. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** In milliseconds since 1970. */
  @Index()
  @Column({ type: 'bigint', transformer: wholeNumber })
  expiresAt!: number;
}
