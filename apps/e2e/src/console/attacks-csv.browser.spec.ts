import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { WatchedConsole } from './attacks.js';

const FORMULAS = [
  '=cmd|" /C calc"!A0',
  '+1+1',
  '-2+3',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  'a;=1+1', // a new cell where `;` separates them
  'a\t=1+1',
  '","=1+1',
  'a;"=1+1"',
  '＝1+1',
];
const HARMLESS = ['Grace "Amazing" Hopper', 'a,b', 'two\r\nlines', 'Söhne 👩‍👩‍👧', 'a-b', '1=1', ''];

const profile = sharedChromium();

describe('the audit log as CSV', () => {
  const app = sharedTestApp(new ConsoleApp());
  let page: WatchedConsole;

  beforeAll(async () => {
    const event = {
      type: 'logout',
      success: true,
      actorId: null,
      actor: null,
      subjectId: null,
      address: null,
    } as const;
    const at = new Date();
    const rows = [
      ...[...FORMULAS, ...HARMLESS].map((detail) => ({ ...event, at, subject: 'odd', detail })),
      ...Array.from({ length: 10_001 }, () => ({ ...event, at, subject: 'many', detail: null })),
    ];
    for (let i = 0; i < rows.length; i += 1000) {
      await app.rowsOf(AuthAudit).insert(rows.slice(i, i + 1000));
    }
    page = await WatchedConsole.open(await profile(), `http://app.localhost:${app.port}/auth-console`);
    await page.logIn();
  });

  async function download(subject: string): Promise<string> {
    await page.go(`audit?subject=${subject}`);
    const file = page.tab.waitForEvent('download', { timeout: 60_000 });
    await page.tab.click('main .heading button');
    return readFileSync(await (await file).path(), 'utf8');
  }

  it('is one table, in which nothing of an attacker is a formula', async () => {
    const text = await download('odd');
    expect(text).toMatch(/^\ufeffid,at,type,success,actorId,actor,subjectId,subject,detail,address\r\n/);
    const details = tableOf(text.slice(1))
      .slice(1)
      .map((cells) => cells[8]!);
    expect(details.sort()).toEqual(
      [
        `'=cmd|" /C calc"!A0`,
        `'+1+1`,
        `'-2+3`,
        `'@SUM(1)`,
        `'\t'=1+1`,
        `'\r'=1+1`,
        `'\n'=1+1`,
        `a;'=1+1`,
        `a\t'=1+1`,
        `","'=1+1`,
        `a;"'=1+1"`,
        `'＝1+1`,
        ...HARMLESS,
      ].sort(),
    );
    // However a spreadsheet splits it.
    for (const separator of [',', ';', '\t']) {
      const cells = text.split(/\r\n|\r|\n/).flatMap((line) => line.split(separator));
      expect(cells.filter((cell) => /^["\s]*[=+@＝]/.test(cell))).toEqual([]);
    }
    await page.tab.locator('.notice.good').waitFor();
    expect(await page.harm()).toEqual([]);
  });

  it('has at most 10,000 rows, and says so', async () => {
    const text = await download('many');
    expect(text.split('\r\n')).toHaveLength(10_000 + 2);
    await page.tab.locator('.notice.good', { hasText: '10,000' }).waitFor();
    expect(await page.harm()).toEqual([]);
  });
});

/** As RFC 4180 says. */
function tableOf(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end !== ',') {
      rows.push([]);
    }
  }
  return rows.slice(0, -1);
}
