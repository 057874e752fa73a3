import { describe, expect, it } from '@jest/globals';
import { ModulePage, type PageAnswer } from 'test-support';
import { readAssets } from '../files/assets.js';

const { files } = readAssets({ languages: ['en'] }, false);
const FILES = new Map([...files].map(([name, { content }]) => [name, content]));

const event = (detail: unknown, id = 1) => ({
  ...{ id, at: '2026-01-31T12:00:00.000Z', type: 'logout', success: true, actorId: null, actor: null },
  ...{ subjectId: 17, subject: 'Ada', detail, address: null },
});

async function csvOf(answer: (query: URLSearchParams) => PageAnswer, filters = {}, signal?: AbortSignal) {
  const page = new ModulePage({
    files: FILES,
    meta: { api: '../', languages: 'en' },
    answer: (call) => answer(new URL(call.split(' ')[1]!, 'http://x').searchParams),
  });
  const counts: number[] = [];
  const module = await page.load('csv.js');
  const csv = await module.csvOf(filters, signal, (count: number) => counts.push(count));
  return { ...(csv as { text: string; isCut: boolean }), counts, calls: page.calls };
}

const ofDetails = (...details: unknown[]) =>
  csvOf(() => [200, { items: details.map((it, i) => event(it, i)), total: details.length }]);

describe('the audit log as CSV', () => {
  const FORMULAS = {
    ...Object.fromEntries([...'=+-@＝＋－＠'].map((sign) => [`${sign}1|A0`, `'${sign}1|A0`])),
    // A new cell where these separate them.
    ...Object.fromEntries(['a;', 'a\t', '","', 'a;"'].map((before) => [`${before}=1`, `${before}'=1`])),
    '\t=1+1': `'\t'=1+1`,
    '\r=1+1': `'\r'=1+1`,
    '\n=1+1': `'\n'=1+1`,
    '  =1+1': `'  =1+1`,
  };
  const HARMLESS = ['Grace "Amazing" Hopper', 'a,b', 'two\r\nlines', 'Söhne 👩‍👩‍👧', 'a-b', '1=1', ''];

  it('is one table, in which nothing of an attacker is a formula', async () => {
    const { text } = await ofDetails(...Object.keys(FORMULAS), ...HARMLESS);
    const [header, ...rows] = tableOf(text.slice(1));
    expect(text[0]).toBe('\ufeff');
    expect(header!.join()).toBe('id,at,type,success,actorId,actor,subjectId,subject,detail,address');
    expect(rows.map((cells) => cells[8])).toEqual([...Object.values(FORMULAS), ...HARMLESS]);
    // However a spreadsheet splits it.
    for (const separator of [',', ';', '\t']) {
      const cells = text.split(/\r\n|\r|\n/).flatMap((line) => line.split(separator));
      expect(cells.filter((cell) => /^["\s]*[=+@＝]/.test(cell))).toEqual([]);
    }
  });

  it('leaves cells empty for what is not known', async () => {
    const { text } = await ofDetails(null, undefined, 0);
    const rows = text.split('\r\n').slice(1, -1);
    expect(rows).toEqual(
      ['', '', '0'].map((it, i) => `${i},2026-01-31T12:00:00.000Z,logout,true,,,17,Ada,${it},`),
    );
  });

  it('has the pages of a list that ends with its newest event, although more happen meanwhile', async () => {
    const queries: string[] = [];
    const { text, isCut, counts } = await csvOf(
      (query) => {
        queries.push(query.toString());
        const length = query.get('page') === '3' ? 7 : 100;
        return [200, { items: Array.from({ length }, () => event('x')), total: 207 }];
      },
      { actor: 'ada', type: undefined },
    );
    const to = 'to=2026-01-31T12%3A00%3A00.001Z';
    expect(queries).toEqual([
      'actor=ada&page=1&size=100',
      `actor=ada&${to}&page=2&size=100`,
      `actor=ada&${to}&page=3&size=100`,
    ]);
    expect([text.split('\r\n').length, isCut, counts]).toEqual([207 + 2, false, [100, 200, 207]]);
  });

  it.each([
    [10_000, false],
    [10_001, true],
  ])('has at most 10,000 rows: of %i, and says whether there are more', async (total, isCut) => {
    const items = Array.from({ length: 100 }, () => event(null));
    const csv = await csvOf(() => [200, { items, total }]);
    expect([csv.text.split('\r\n').length, csv.isCut, csv.calls.length]).toEqual([10_000 + 2, isCut, 100]);
  });

  it('is empty without events, and keeps the end that was chosen', async () => {
    const csv = await csvOf(() => [200, { items: [], total: 0 }], { to: '2026-02-01' });
    expect([csv.text.trim().split('\r\n').length, csv.isCut, csv.counts]).toEqual([1, false, [0]]);
    expect(csv.calls).toEqual(['GET audit?to=2026-02-01&page=1&size=100']);
  });

  it('stops when it is cancelled', async () => {
    const controller = new AbortController();
    const cancelled = csvOf(
      () => (controller.abort(), [200, { items: [], total: 0 }]),
      {},
      controller.signal,
    );
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
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
