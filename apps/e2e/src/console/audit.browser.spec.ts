import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();

describe('the audit log of the console', () => {
  const app = sharedTestApp(new ConsoleApp({ platform: 'fastify' }));
  let page: ConsoleTab;
  beforeAll(async () => {
    const event = { type: 'logout', actorId: null, actor: null, subjectId: null, address: null } as const;
    const rows = Array.from({ length: 130 }, (_, i) => ({
      ...{ ...event, at: new Date(), success: true, subject: i < 70 ? 'ada' : 'bob', detail: `=${i}` },
    }));
    await app.rowsOf(AuthAudit).insert(rows);
    page = await ConsoleTab.open(await profile(), `http://localhost:${app.port}`, 'audit');
    await page.logIn('admin');
  });

  it('is offered as a file, with all of its pages', async () => {
    await page.load('audit?type=logout');
    const file = page.tab.waitForEvent('download');
    await page.press('Download as CSV');
    const lines = readFileSync(await (await file).path(), 'utf8').split('\r\n');
    expect([lines.length, lines[1]]).toEqual([130 + 2, expect.stringContaining("bob,'=129,")]);
    await page.says('The file is ready.');
  });
});
