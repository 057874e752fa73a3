import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { ConsoleApp } from './app.js';
import { modulePage } from './module-page.js';

const USERS = 100_000;
const EVENTS = 1_000_000;

describe('the console of an application with many users and events', () => {
  const app = sharedTestApp(new ConsoleApp({ platform: 'fastify', database: 'postgres' }));
  let page: Awaited<ReturnType<typeof modulePage>>;
  beforeAll(async () => {
    const fill = (sql: string, rows: number) => app.get(DataSource).query(sql, [rows]);
    await fill(
      `INSERT INTO auth_user (username, nickname, "securityStamp")
       SELECT 'person-' || i, 'Person ' || i, 'stamp' FROM generate_series(1, $1::int) i`,
      USERS,
    );
    // Not so old that the audit log deletes them.
    await fill(
      `INSERT INTO auth_audit (type, at, "actorId", actor, "subjectId", subject, success)
       SELECT 'login', (extract(epoch FROM now()) * 1000)::bigint - i, i % 1000, 'person-' || i % 1000, i % 1000, 'person-' || i % 1000, i % 7 > 0
       FROM generate_series(1, $1::int) i`,
      EVENTS,
    );
    page = await modulePage(app, await app.adminToken());
  });

  it.each([
    ['users', 20, '100,001 entries'],
    ['users?size=100&page=900', 100, '100,001 entries'],
    ['users?size=100000', 20, '100,001 entries'],
    ['users?q=son-999&size=100', 100, /entries/],
    ['audit', 20, /1,000,00\d entries/],
    ['audit?size=100&page=9000', 100, /1,000,00\d entries/],
    ['audit?subject=person-7&type=login&size=100', 100, '1,000 entries'],
  ])('shows %s, and never more than a page', async (path, expected, total) => {
    await page.go(path);
    expect([page.all('main tbody tr').length, page.texts('.pager').join()]).toEqual([
      ...[expected, expect.stringMatching(total)],
    ]);
  });

  it('shows the events of a user', async () => {
    await page.go('users/7/events');
    expect([page.all('main tbody tr').length, page.refused]).toEqual([20, []]);
  });
});
