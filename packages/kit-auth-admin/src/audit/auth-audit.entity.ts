import type { AuthEvent, AuthEventType } from 'kit-auth';
import { Column, Entity, Index, PrimaryGeneratedColumn, type ValueTransformer } from 'typeorm';

/** Milliseconds since 1970, which every database compares and keeps alike; drivers give 64-bit integers as text. */
const milliseconds: ValueTransformer = {
  to: (value: unknown) => (value instanceof Date ? value.getTime() : value),
  from: (value: number | string) => new Date(Number(value)),
};

/** An `AuthEvent` that was kept. */
@Entity({ name: 'auth_audit' })
export class AuthAudit implements AuthEvent {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar', length: 32 })
  type!: AuthEventType;

  @Index()
  @Column({ type: 'bigint', transformer: milliseconds })
  at!: Date;

  @Column({ type: 'integer', nullable: true })
  actorId!: number | null;

  @Index()
  @Column({ type: 'varchar', length: 255, nullable: true })
  actor!: string | null;

  @Column({ type: 'integer', nullable: true })
  subjectId!: number | null;

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
