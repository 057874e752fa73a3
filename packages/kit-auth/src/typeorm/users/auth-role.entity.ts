import { Column, Entity, JoinTable, ManyToMany, PrimaryGeneratedColumn } from 'typeorm';
import { permissionList } from './role-permissions.js';

@Entity({ name: 'auth_role' })
export class AuthRole {
  @PrimaryGeneratedColumn()
  id!: number;

  /** The identifier of the role in code and in tokens, for example `SUPER_ADMIN`. */
  @Column({ type: 'varchar', length: 64, unique: true })
  code!: string;

  /** The display name. */
  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /**
   * Permissions such as `note:read` or `note:*`, stored as a JSON list. Null is allowed for roles that were inserted by hand.
   * Any other value is read as an empty list.
   */
  @Column({ type: 'text', nullable: true, transformer: permissionList })
  permissions!: string[] | null;

  /** Users with this role also have these roles, and the roles that these include. Never `SUPER_ADMIN`. */
  @ManyToMany(() => AuthRole)
  @JoinTable({
    name: 'auth_role_include',
    joinColumn: { name: 'roleId' },
    inverseJoinColumn: { name: 'includedId' },
  })
  includes!: AuthRole[];
}
