import { describe, expect, it } from '@jest/globals';
import { readKeyRequest } from './read-key-request.js';

const BODY = { name: 'CI', abilities: ['note:read'] };
const SETTINGS = { defaultDays: 90, maxDays: 365 } as const;
const read = (body: unknown, settings: Parameters<typeof readKeyRequest>[1] = SETTINGS) =>
  readKeyRequest({ headers: { 'content-type': 'application/json' }, body }, settings);

describe('the body of a new key', () => {
  it('has a name, abilities and a lifetime', () => {
    expect(read(BODY)).toEqual({ ...BODY, days: 90 });
    expect(read({ ...BODY, abilities: ['note:*', 'note:*'], days: 365, more: 1 })).toEqual({
      name: 'CI',
      abilities: ['note:*'],
      days: 365,
    });
    expect(read({ ...BODY, days: 1 }).days).toBe(1);
  });

  it.each([
    ...['', '  ', ' CI', 'a\u0000b', 'x'.repeat(65), 7, null, ['CI'], undefined].map((name) => ({ name })),
    ...[[], 'note:read', null, [7], ['note:'], ['note:read '], {}, undefined].map((abilities) => ({
      abilities,
    })),
    { abilities: Array.from({ length: 51 }, (_, i) => `note:a${i}`) },
    ...[0, -1, 366, 1.5, '90', 1e9, [], true, null, 'never'].map((days) => ({ days })),
  ])('has nothing like %j', (wrong) => {
    const [member] = Object.keys(wrong);
    expect(() => read({ ...BODY, ...wrong })).toThrow(
      expect.objectContaining({ code: 40000, message: expect.stringContaining(`"${member}" must `) }),
    );
  });

  it('has a lifetime without end where keys are unlimited', () => {
    const unlimited = { defaultDays: 90, maxDays: 'unlimited' } as const;
    expect([null, 36_500, undefined].map((days) => read({ ...BODY, days }, unlimited).days)).toEqual([
      null,
      36_500,
      90,
    ]);
    for (const days of [36_501, 'never', 0]) {
      expect(() => read({ ...BODY, days }, unlimited)).toThrow('36500, or null');
    }
  });
});
