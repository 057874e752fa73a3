import { randomBytes } from 'node:crypto';
import {
  Column,
  CreateDateColumn,
  Entity,
  JoinTable,
  ManyToMany,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { AuthRole } from './auth-role.entity.js';
import { milliseconds } from './milliseconds.js';

/** Stored as the word. Anything but `ENABLED` keeps a user from logging in. */
export enum AuthUserStatus {
  ENABLED = 'ENABLED',
  DISABLED = 'DISABLED',
}

/** A new value for `securityStamp`. */
export function newSecurityStamp(): string {
  return randomBytes(12).toString('base64url');
}

@Entity({ name: 'auth_user' })
export class AuthUser {
  /** No user has a higher id: it is what the column holds on every database. */
  static readonly MAX_ID = 2 ** 31 - 1;

  @PrimaryGeneratedColumn()
  id!: number;

  /** Compared exactly at login, also where the database's own comparison would fold case or trailing spaces. */
  @Column({ type: 'varchar', length: 255, unique: true })
  username!: string;

  @Column({ type: 'varchar', length: 255 })
  nickname!: string;

  /** A bcrypt hash (`$2a$`, `$2b$` or `$2y$`). Never selected unless a query asks for it. */
  @Column({ type: 'varchar', length: 255, select: false })
  passwordHash!: string;

  @Column({ type: 'varchar', length: 16, default: AuthUserStatus.ENABLED })
  status!: AuthUserStatus;

  /** Changes with the password, the status and the roles: what was issued for another stamp is out of date. */
  @Column({ type: 'varchar', length: 32, default: '', select: false })
  securityStamp!: string;

  /** Until they have, a token opens `me`, `password` and `logout` alone. */
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
