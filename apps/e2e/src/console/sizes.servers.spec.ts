import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();
const USERS = 100_000;
const EVENTS = 1_000_000;

describe('the console of an application with many users and events', () => {
  const app = sharedTestApp(new ConsoleApp({ platform: 'fastify', database: 'postgres' }));
  let page: ConsoleTab;
  beforeAll(async () => {
    const fill = (sql: string, rows: number) => app.get(DataSource).query(sql, [rows]);
    await fill(
      `INSERT INTO auth_user (username, nickname, "securityStamp")
       SELECT 'person-' || i, 'Person ' || i, 'stamp' FROM generate_series(1, $1::int) i`,
      USERS,
    );
    await fill(
      `INSERT INTO auth_audit (type, at, "actorId", actor, "subjectId", subject, success)
       SELECT 'login', 1700000000000 + i, i % 1000, 'person-' || i % 1000, i % 1000, 'person-' || i % 1000, i % 7 > 0
       FROM generate_series(1, $1::int) i`,
      EVENTS,
    );
    page = await ConsoleTab.open(await profile(), `http://localhost:${app.port}`);
    await page.logIn('admin');
  });

  /** From the last answer to the rows. */
  const untilShown = () =>
    page.tab.evaluate<number>(`new Promise((resolve) => requestAnimationFrame(() => {
      const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/api/'));
      resolve(performance.now() - Math.max(...answers.map(({ responseEnd }) => responseEnd)));
    }))`);
  const rows = () => page.tab.locator('main tbody tr').count();

  it.each([
    ['users', 20, '100,001 entries'],
    ['users?size=100&page=900', 100, '100,001 entries'],
    ['users?size=100000', 20, '100,001 entries'],
    ['users?q=son-999&size=100', 100, /entries/],
    ['audit', 20, /1,000,00\d entries/],
    ['audit?size=100&page=9000', 100, /1,000,00\d entries/],
    ['audit?subject=person-7&type=login&size=100', 100, '1,000 entries'],
  ])('shows %s at once, and never more than a page', async (path, expected, total) => {
    await page.load(path);
    expect(await untilShown()).toBeLessThan(1000);
    expect(await rows()).toBe(expected);
    await page.tab.locator('.pager').filter({ hasText: total }).waitFor();
  });

  it('shows the events of a user', async () => {
    await page.load('users/7/events');
    expect(await untilShown()).toBeLessThan(1000);
    expect(await rows()).toBe(20);
  });
});
