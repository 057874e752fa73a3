import { randomBytes } from 'node:crypto';
import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinTable,
  ManyToMany,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { AuthRole } from './auth-role.entity.js';
import { milliseconds } from '../database/data-source.js';

/** Stored as text. Only `ENABLED` users can log in. */
export enum AuthUserStatus {
  ENABLED = 'ENABLED',
  DISABLED = 'DISABLED',
}

/** Generates a new `AuthUser.securityStamp`. Write one whenever tokens that were issued before must become invalid. */
export function newSecurityStamp(): string {
  return randomBytes(12).toString('base64url');
}

@Entity({ name: 'auth_user' })
export class AuthUser {
  /** The highest id that the column can hold on every database. */
  static readonly MAX_ID = 2 ** 31 - 1;

  @PrimaryGeneratedColumn()
  id!: number;

  /** A login compares it exactly, even if the database ignores case or trailing spaces. */
  @Column({ type: 'varchar', length: 255, unique: true })
  username!: string;

  /**
   * The same for all usernames that people would take for each other, such as `ada` and `Ada`. Null for accounts that were
   * created before the column existed, or without the user store.
   */
  @Index({ unique: true })
  @Column({ type: 'varchar', length: 255, nullable: true, select: false })
  usernameKey!: string | null;

  @Column({ type: 'varchar', length: 255 })
  nickname!: string;

  /**
   * A hash, by default bcrypt's (`$2a$`, `$2b$` or `$2y$`). Null for an account without a password. Only selected by
   * queries that name it.
   */
  @Column({ type: 'varchar', length: 255, nullable: true, select: false })
  passwordHash!: string | null;

  @Column({ type: 'varchar', length: 16, default: AuthUserStatus.ENABLED })
  status!: AuthUserStatus;

  /** Changes with the password, the status and the roles. Tokens that were issued for another stamp are outdated. */
  @Column({ type: 'varchar', length: 32, default: '', select: false })
  securityStamp!: string;

  /** While true, the user can only use `me`, `password` and `logout`. */
  @Column({ type: Boolean, default: false })
  mustChangePassword!: boolean;

  @Column({ type: 'bigint', nullable: true, transformer: milliseconds })
  lastLoginAt!: Date | null;

  @CreateDateColumn()
  createdAt!: Date;

  @UpdateDateColumn()
  updatedAt!: Date;

  @ManyToMany(() => AuthRole)
  @JoinTable({
    name: 'auth_user_role',
    joinColumn: { name: 'userId' },
    inverseJoinColumn: { name: 'roleId' },
  })
  roles!: AuthRole[];
}
