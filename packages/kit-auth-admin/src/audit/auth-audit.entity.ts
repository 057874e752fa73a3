import type { AuthEvent, AuthEventType } from 'kit-auth';
import { milliseconds } from 'kit-auth/typeorm';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A stored `AuthEvent`. The ids of users are strings, even if the user store has numbers. `autoLoadEntities` adds the
 * entity to the data source.
 *
 * @example
 * ```ts
 * const dataSource = new DataSource({ type: 'postgres', url, entities: [AuthUser, AuthRole, AuthAudit] });
 * ```
 */
@Entity({ name: 'auth_audit' })
export class AuthAudit implements Omit<AuthEvent, 'actorId' | 'subjectId'> {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar', length: 32 })
  type!: AuthEventType;

  @Index()
  @Column({ type: 'bigint', transformer: milliseconds })
  at!: Date;

  @Index()
  @Column({ type: 'varchar', length: 128, nullable: true })
  actorId!: string | null;

  @Index()
  @Column({ type: 'varchar', length: 255, nullable: true })
  actor!: string | null;

  @Index()
  @Column({ type: 'varchar', length: 128, nullable: true })
  subjectId!: string | null;

  @Index()
  @Column({ type: 'varchar', length: 255, nullable: true })
  subject!: string | null;

  @Column({ type: Boolean })
  success!: boolean;

  @Column({ type: 'varchar', length: 255, nullable: true })
  detail!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  address!: string | null;
}
