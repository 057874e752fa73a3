import { randomUUID } from 'node:crypto';
import { Entity, Enum, OptionalProps, PrimaryKey, Property, Unique } from '@mikro-orm/core';

export enum MemberStatus {
  Active = 'active',
  Suspended = 'suspended',
}

/** The roles that members can have. */
export const ROLES = ['admin', 'trainer'];

@Entity()
export class Member {
  [OptionalProps]?: 'status' | 'roles' | 'securityStamp';

  @PrimaryKey()
  id: string = `mem_${randomUUID().replaceAll('-', '')}`;

  @Property()
  @Unique()
  login: string;

  @Property()
  displayName: string;

  @Property({ length: 255, hidden: true })
  passwordHash: string;

  @Enum(() => MemberStatus)
  status: MemberStatus = MemberStatus.Active;

  @Property({ type: 'text[]' })
  roles: string[] = [];

  /** Changes with the password, the status and the roles. */
  @Property({ hidden: true })
  securityStamp: string = randomUUID();

  @Property({ nullable: true })
  lastLoginAt?: Date;
}
