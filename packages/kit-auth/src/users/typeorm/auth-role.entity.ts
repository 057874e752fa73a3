import { Column, Entity, JoinTable, ManyToMany, PrimaryGeneratedColumn } from 'typeorm';
import { permissionList } from './role-permissions.js';

/** The role whose holders are super administrators. */
export const SUPER_ADMIN = 'SUPER_ADMIN';

@Entity({ name: 'auth_role' })
export class AuthRole {
  @PrimaryGeneratedColumn()
  id!: number;

  /** What code and tokens call the role, for example `SUPER_ADMIN`. */
  @Column({ type: 'varchar', length: 64, unique: true })
  code!: string;

  /** What people call it. */
  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** Such as `note:read` or `note:*`. Kept as a JSON list. A role that was put in by hand may have none; what is no list of strings is read as an empty one. */
  @Column({ type: 'text', nullable: true, transformer: permissionList })
  permissions!: string[] | null;

  /** Roles whose permissions, and whose own included roles, its holders have as well. Never `SUPER_ADMIN`. */
  @ManyToMany(() => AuthRole)
  @JoinTable({
    name: 'auth_role_include',
    joinColumn: { name: 'roleId' },
    inverseJoinColumn: { name: 'includedId' },
  })
  includes!: AuthRole[];
}
