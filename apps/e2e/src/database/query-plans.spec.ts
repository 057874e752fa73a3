import { beforeAll, describe, expect, it } from '@jest/globals';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { actingWithKey } from 'kit-auth-keys/testing';
import { sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { AdminApp } from '../admin/app.js';
import { Statements } from './statements.js';

const ROWS = 5000;
/** A cross join of a table with itself has as many rows as are wanted. */
const NUMBERS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;

/** How much of a table a statement reads must not depend on how much there is. */
describe('with thousands of users, roles, sessions and audit rows', () => {
  const statements = new Statements();
  const app = sharedTestApp(
    new AdminApp({ provider: 'session', imports: [KitAuthKeysModule], database: statements.on() }),
  );
  let token: string;
  let userToken: string;
  let key: string;
  const dataSource = () => app.get(DataSource);

  beforeAll(async () => {
    const user = await app.user({ roles: [await app.role({ permissions: ['note:read'] })] });
    for (const [columns, values] of [
      [
        'auth_user (username, nickname, passwordHash, status)',
        `'many-' || i, 'Many', 'x', CASE WHEN i % 50 = 0 THEN 'DISABLED' ELSE 'ENABLED' END FROM n`,
      ],
      ['auth_role (code, name, permissions)', `'role-of-' || i, 'Many', '[]' FROM n`],
      [
        'auth_audit (type, at, actorId, actor, subjectId, subject, success)',
        `'login', 1800000000000 + i, i, 'many-' || i, i, 'many-' || i, 1 FROM n`,
      ],
      [
        'auth_session (id, userId, createdAt, lastSeenAt, expiresAt)',
        `'id-' || i, i, 1800000000000, 1800000000000, 4000000000000 FROM n`,
      ],
      [
        'auth_api_key (id, userId, name, hash, abilities, createdAt)',
        `'key-' || i, i, 'Many', 'x', '[]', 1800000000000 FROM n`,
      ],
      ['auth_user_role (userId, roleId)', 'i, i FROM n WHERE i > 2'],
    ]) {
      await dataSource().query(`${NUMBERS} INSERT INTO ${columns} SELECT ${values}`);
    }
    await dataSource().query('ANALYZE');
    token = await app.adminToken();
    userToken = await app.tokenOf(user);
    ({ key } = await actingWithKey(app.nest, { userId: user.id }, ['note:read']));
  });

  /** What SQLite does for each statement that a call has run, with the tables that it walks through. */
  async function walkedBy(call: () => Promise<unknown>): Promise<string[]> {
    statements.seen.length = 0;
    await call();
    const walked: string[] = [];
    for (const { text, parameters } of statements.seen.splice(0)) {
      if (!/^\s*(SELECT|WITH|UPDATE|DELETE)/i.test(text)) {
        continue;
      }
      const plan = await dataSource().query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${text}`, parameters);
      for (const { detail } of plan) {
        const isWhole = /^SCAN /.test(detail) && !/^SCAN kit_ur\b/.test(detail);
        const inOrder =
          /ORDER BY .* LIMIT /i.test(text) && !plan.some((row) => row.detail.includes('ORDER BY'));
        if ((isWhole && !inOrder) || /TEMP B-TREE FOR ORDER BY/.test(detail)) {
          walked.push(`${detail}: ${text}`);
        }
      }
    }
    return walked;
  }

  const asAdmin = (path: string) => async () => expect((await app.call(token, 'GET', path)).status).toBe(200);

  it.each<[string, () => Promise<unknown>]>([
    ['a login', () => app.adminToken()],
    ['a request', () => app.codeOf(userToken)],
    ['a request with an API key', () => app.codeOf(key)],
    ['the sessions of oneself', asAdmin('sessions')],
    ['the sessions of a user', asAdmin('users/77/sessions')],
    ['a user', asAdmin('users/77')],
    ['audit rows of a day', asAdmin('audit?from=2027-01-15T08:00:01Z&to=2027-01-15T08:00:02Z')],
    ['logout', async () => app.call(await app.adminToken(), 'POST', 'logout')],
  ])('%s reads what it needs by an index', async (_name, call) => {
    expect(await walkedBy(call)).toEqual([]);
  });

  it('searches names in the order of an index', async () => {
    expect(await walkedBy(asAdmin('users?q=many-77'))).toEqual([]);
  });

  it.each([
    `users?role=${SUPER_ADMIN}`,
    'audit?actor=many-77',
    'audit?subject=77',
    'audit?subject=77&type=login',
  ])('finds the rows of %s by an index, and sorts no others', async (path) => {
    const walked = await walkedBy(asAdmin(path));
    expect(walked.filter((line) => !line.startsWith('USE TEMP B-TREE FOR ORDER BY'))).toEqual([]);
  });

  it.each(['users', 'users?page=20&size=100', 'audit', 'audit?page=20'])(
    'a page of %s is cut out of an index; only the total is counted',
    async (path) => {
      const walked = await walkedBy(asAdmin(path));
      expect(walked.filter((line) => !/SELECT COUNT/i.test(line))).toEqual([]);
    },
  );
});
