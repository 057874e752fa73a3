import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Identifies the database of the users. The table has one row. */
@Entity({ name: 'auth_database' })
export class AuthDatabase {
  /** The id of the row. */
  static readonly ID = 1;

  @PrimaryColumn({ type: 'int' })
  id!: number;

  /** 16 random bytes in hexadecimal. Sessions in Redis belong to it. */
  @Column({ type: 'varchar', length: 32 })
  realm!: string;
}
