import { describe, expect, it } from '@jest/globals';
import type { UserId } from '../../contract/user-id.js';
import { IllegalStateException } from '../../errors/auth.exception.js';
import type { AuthOneTime } from './auth-one-time.entity.js';
import { columnsOf, type NewOneTimeToken, tokenOf } from './one-time-token.js';

const NOW = Date.UTC(2026, 0, 31);
const wanted = (fields: Partial<NewOneTimeToken> = {}): NewOneTimeToken => ({
  purpose: 'reset',
  ttlSeconds: 60,
  ...fields,
});

describe('a new one-time token', () => {
  it('keeps what its author says', () => {
    const data = { address: 'zoë@example.org', roles: ['a'] };
    const columns = columnsOf(wanted({ userId: 7, subject: 'ada', data }), NOW);
    expect(columns).toEqual({
      purpose: 'reset',
      userId: '7',
      subject: 'ada',
      attempts: 0,
      data: String.raw`{"address":"zo\u00eb@example.org","roles":["a"]}`,
      createdAt: NOW,
      expiresAt: NOW + 60_000,
    });
    expect(columnsOf(wanted(), NOW)).toMatchObject({ userId: null, subject: null, data: null });
  });

  it('has data of at most 2 KB in UTF-8', () => {
    const ofBytes = (bytes: number) => wanted({ data: { a: 'é'.repeat((bytes - 8) / 2) } });
    expect(Buffer.byteLength(JSON.stringify(ofBytes(2048).data))).toBe(2048);
    expect(columnsOf(ofBytes(2048), NOW).data).toMatch(/^[ -~]+$/);
    expect(() => columnsOf(ofBytes(2050), NOW)).toThrow('has data of more than 2048 bytes');
  });

  it.each<[string, Partial<NewOneTimeToken>]>([
    ['purpose', { purpose: '' }],
    ['purpose', { purpose: 'Reset' }],
    ['purpose', { purpose: 'reset ' }],
    ['purpose', { purpose: 'a'.repeat(33) }],
    ['subject', { subject: 'a'.repeat(256) }],
    ['ttlSeconds', { ttlSeconds: 0 }],
    ['ttlSeconds', { ttlSeconds: -1 }],
    ['ttlSeconds', { ttlSeconds: 0.5 }],
    ['ttlSeconds', { ttlSeconds: NaN }],
    ['ttlSeconds', { ttlSeconds: Infinity }],
    ['ttlSeconds', { ttlSeconds: 9e12 }],
    ['replaces others', { replaces: true }],
  ])('has no wrong %s: %j', (named, fields) => {
    expect(() => columnsOf(wanted(fields), NOW)).toThrow(IllegalStateException);
    expect(() => columnsOf(wanted(fields), NOW)).toThrow(named);
  });
});

describe('the row of a one-time token', () => {
  const row = (fields: Partial<Record<keyof AuthOneTime, unknown>> = {}) =>
    ({
      id: 'ab',
      stamp: 'cd',
      ...columnsOf(wanted({ userId: 7, data: { a: 'ß' } }), NOW),
      ...fields,
    }) as AuthOneTime;
  const asNumber = (text: string) => (text === '7' ? 7 : undefined);
  const asText = (text: string) => text as unknown as UserId;

  it('is read as it was written', () => {
    expect(tokenOf(row(), asNumber)).toEqual({
      id: 'ab',
      userId: 7,
      subject: undefined,
      data: { a: 'ß' },
      attempts: 0,
      createdAt: new Date(NOW),
      expiresAt: new Date(NOW + 60_000),
    });
    expect(tokenOf(row({ userId: null, stamp: null, data: null }), asNumber)).toMatchObject({
      data: undefined,
    });
    expect(tokenOf(row({ userId: 'usr_aB' }), asText)?.userId).toBe('usr_aB');
  });

  it.each<Partial<Record<keyof AuthOneTime, unknown>>>([
    { userId: null },
    { stamp: null },
    { data: '' },
    { data: '{' },
    { data: 'null' },
    { data: '7' },
    { attempts: -1 },
    { attempts: 0.5 },
    { createdAt: -1 },
    { createdAt: NaN },
    { expiresAt: -1 },
    { expiresAt: 9e15 },
    { userId: 'ada' },
  ])('is none after it was tampered with: %j', (fields) => {
    expect(tokenOf(row(fields), asNumber)).toBeUndefined();
  });
});
