import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';

const transported = (value: unknown) => (JSON.parse(JSON.stringify([value])) as unknown[])[0];

/** The same value with the keys of its objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(reversed);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reversed(item)]),
      )
    : value;
}

/** What JSON changes on its way: dates, undefined, functions, objects with toJSON. */
const sent = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    fc.date({ noInvalidDate: true }),
    fc.constantFrom(undefined, () => 1, Symbol('x'), new Map([[1, 2]]), Buffer.from('ab'), Object('boxed')),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('canonical JSON', () => {
  it('is JSON with sorted keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: -0, B: true, undefined })).toBe(
      '{"B":true,"a":0,"b":[1,{"c":"é","d":null}]}',
    );
    expect([undefined, [undefined, () => 1], 'x'].map(canonicalJson)).toEqual(['null', '[null,null]', '"x"']);
  });

  it('stands for its value, before and after the transport', () => {
    fc.assert(
      fc.property(sent, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(transported(value));
        expect(canonicalJson(value)).toBe(canonicalJson(transported(value)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value)),
      ),
    );
  });

  it.each([NaN, Infinity, [-Infinity], { a: JSON.parse('1e400') as unknown }, { a: 1n }])(
    'does not exist for %p, which JSON cannot transport',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    },
  );

  it('does not exist for values that contain themselves', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(() => canonicalJson(value)).toThrow(RangeError);
  });
});
