import { Column, CreateDateColumn, Entity, JoinTable, ManyToMany, PrimaryGeneratedColumn } from 'typeorm';
import { Role } from './role.entity';

@Entity()
export class User {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ unique: true })
  email: string;

  @Column()
  firstName: string;

  @Column()
  lastName: string;

  /** A bcrypt hash. */
  @Column({ select: false })
  password: string;

  @Column({ default: true })
  isActive: boolean;

  @ManyToMany(() => Role)
  @JoinTable()
  roles: Role[];

  /** Added for kit-auth: changes with the password, the status and the roles. */
  @Column({ default: () => 'gen_random_uuid()', select: false })
  securityStamp: string;

  @CreateDateColumn()
  createdAt: Date;
}
