import { describe, expect, it } from '@jest/globals';
import { safeReason } from './safe-reason.js';

describe('safeReason', () => {
  it.each([
    [new Error('connect ECONNREFUSED 127.0.0.1:587'), 'Error: connect ECONNREFUSED 127.0.0.1:587'],
    [
      Object.assign(new Error("Can't send mail: 550 <ada@example.com>: no such user"), {
        code: 'EENVELOPE',
        responseCode: 550,
      }),
      "Error: Can't send mail: 550 ... no such user (EENVELOPE, 550)",
    ],
    [new Error('POST https://api.example/send?to=ada%40example.com failed'), 'Error: POST ... failed'],
    [new Error('{"link":"kato_abc_def"} refused'), 'Error: ... refused'],
    [new Error(`line one\r\n${'x'.repeat(30)}\r\nline two`), 'Error: line one ... line two'],
    [Object.assign(new Error('no'), { code: 'ada@example.com', responseCode: {} }), 'Error: no'],
    ['ada@example.com', 'string'],
    [undefined, 'undefined'],
  ])('of %p is %j', (error, reason) => {
    expect(safeReason(error)).toBe(reason);
  });

  it('is short', () => {
    expect(safeReason(new Error('no '.repeat(1000))).length).toBeLessThanOrEqual(200);
  });
});
