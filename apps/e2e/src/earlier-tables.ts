import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

// The tables as earlier versions created them. Frozen: they do not follow the entities.

type Row = any;
type Columns = Record<string, EntitySchemaColumnOptions>;

const text = (length: number, more: Partial<EntitySchemaColumnOptions> = {}): EntitySchemaColumnOptions => ({
  type: 'varchar',
  length,
  ...more,
});
const id: EntitySchemaColumnOptions = { type: Number, primary: true, generated: true };
const number: EntitySchemaColumnOptions = { type: 'bigint' };
const optional = { nullable: true };

const ACCOUNT_COLUMNS: Columns = {
  securityStamp: text(32, { default: '' }),
  mustChangePassword: { type: Boolean, default: false },
  lastLoginAt: { ...number, ...optional },
};

function users(columns: Columns): EntitySchema {
  return new EntitySchema<Row>({
    name: 'User',
    tableName: 'auth_user',
    columns: {
      id,
      username: text(255, { unique: true }),
      nickname: text(255),
      passwordHash: text(255),
      status: text(16, { default: 'ENABLED' }),
      ...columns,
      createdAt: { type: Date, createDate: true },
      updatedAt: { type: Date, updateDate: true },
    },
    relations: {
      roles: {
        type: 'many-to-many',
        target: 'Role',
        joinTable: {
          name: 'auth_user_role',
          joinColumn: { name: 'userId' },
          inverseJoinColumn: { name: 'roleId' },
        },
      },
    },
  });
}

function roles(relations: 'with includes' | 'without includes'): EntitySchema {
  return new EntitySchema<Row>({
    name: 'Role',
    tableName: 'auth_role',
    columns: {
      id,
      code: text(64, { unique: true }),
      name: text(255),
      permissions: { type: 'text', ...optional },
    },
    relations:
      relations === 'without includes'
        ? {}
        : {
            includes: {
              type: 'many-to-many',
              target: 'Role',
              joinTable: {
                name: 'auth_role_include',
                joinColumn: { name: 'roleId' },
                inverseJoinColumn: { name: 'includedId' },
              },
            },
          },
  });
}

function sessions(columns: Columns): EntitySchema {
  return new EntitySchema<Row>({
    name: 'Session',
    tableName: 'auth_session',
    columns: {
      id: text(60, { primary: true }),
      userId: { type: 'integer' },
      createdAt: number,
      lastSeenAt: number,
      expiresAt: number,
      address: text(64, optional),
      userAgent: text(255, optional),
      endedBy: text(32, optional),
      ...columns,
    },
    indices: [{ columns: ['expiresAt'] }, { columns: ['userId', 'createdAt'] }],
  });
}

function audit(userId: EntitySchemaColumnOptions): EntitySchema {
  return new EntitySchema<Row>({
    name: 'Audit',
    tableName: 'auth_audit',
    columns: {
      id,
      type: text(32),
      at: number,
      actorId: { ...userId, ...optional },
      actor: text(255, optional),
      subjectId: { ...userId, ...optional },
      subject: text(255, optional),
      success: { type: Boolean },
      detail: text(255, optional),
      address: text(255, optional),
    },
    indices: [{ columns: ['at'] }, { columns: ['actor'] }, { columns: ['subject'] }],
  });
}
function logins(columns: Columns): EntitySchema {
  return new EntitySchema<Row>({
    name: 'Login',
    tableName: 'auth_login',
    columns: {
      id: text(60, { primary: true }),
      userId: text(128),
      createdAt: number,
      lastSeenAt: number,
      expiresAt: number,
      address: text(64, optional),
      userAgent: text(255, optional),
      factors: { type: 'text', ...optional },
      family: text(32),
      current: text(64),
      previous: text(64, optional),
      salt: text(32, optional),
      rotatedAt: { ...number, ...optional },
      rotatedFrom: text(64, optional),
      rotations: { type: 'integer' },
      endedBy: text(32, optional),
      ...columns,
    },
    indices: [{ columns: ['expiresAt'] }, { columns: ['userId', 'createdAt'] }],
  });
}

const AUDIT = audit({ type: 'integer' });

const SPARED: Columns = {
  sparedId: text(60, optional),
  sparedEndedAt: { ...number, ...optional },
  sparedEndedBy: text(32, optional),
};
const PROOF: Columns = { proof: { type: 'text', ...optional } };

/** From the oldest to the newest. Add one here when an entity changes. */
export const EARLIER_TABLES: Readonly<Record<string, EntitySchema[]>> = {
  'users and roles only': [users({}), roles('without includes')],
  'with stamps, sessions and an audit log': [
    users(ACCOUNT_COLUMNS),
    roles('with includes'),
    sessions({}),
    AUDIT,
  ],
  'with spared sessions': [users(ACCOUNT_COLUMNS), roles('with includes'), sessions(SPARED), AUDIT],
  'with proofs of logins': [
    users(ACCOUNT_COLUMNS),
    roles('with includes'),
    sessions({ ...PROOF, ...SPARED }),
    AUDIT,
  ],
  'with texts as ids of users': [
    users(ACCOUNT_COLUMNS),
    roles('with includes'),
    sessions({ ...PROOF, ...SPARED, userId: text(128) }),
    audit(text(128)),
  ],
  'with refresh tokens': [
    users(ACCOUNT_COLUMNS),
    roles('with includes'),
    sessions({ ...PROOF, ...SPARED, userId: text(128), successorId: text(60, optional) }),
    logins({}),
    audit(text(128)),
  ],
};
