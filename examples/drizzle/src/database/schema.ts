import { randomUUID } from 'node:crypto';
import { relations } from 'drizzle-orm';
import { bigint, boolean, pgEnum, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

export const users = pgTable('users', {
  id: uuid('id').primaryKey().defaultRandom(),
  email: text('email').notNull().unique(),
  fullName: text('full_name').notNull(),
  passwordHash: text('password_hash').notNull(),
  active: boolean('active').notNull().default(true),
  securityStamp: text('security_stamp').notNull().$defaultFn(randomUUID),
  lastLoginAt: timestamp('last_login_at', { withTimezone: true }),
});

export const role = pgEnum('role', ['admin', 'editor', 'reader']);
export type Role = (typeof role.enumValues)[number];

export const userRoles = pgTable(
  'user_roles',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: role('role').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.role] })],
);

export const usersRelations = relations(users, ({ many }) => ({ roles: many(userRoles) }));

export const userRolesRelations = relations(userRoles, ({ one }) => ({
  user: one(users, { fields: [userRoles.userId], references: [users.id] }),
}));

export const articles = pgTable('articles', {
  id: uuid('id').primaryKey().defaultRandom(),
  authorId: uuid('author_id')
    .notNull()
    .references(() => users.id),
  title: text('title').notNull(),
});

export const auditLog = pgTable('audit_log', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: timestamp('at', { withTimezone: true }).notNull(),
  type: text('type').notNull(),
  actorId: uuid('actor_id'),
  actor: text('actor'),
  subjectId: uuid('subject_id'),
  subject: text('subject'),
  success: boolean('success').notNull(),
  detail: text('detail'),
  address: text('address'),
});
