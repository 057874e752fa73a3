import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCompact } from './compact-token.js';

const HEADER = '{"alg":"ES256"}';
const encoded = (part: string | Buffer) => Buffer.from(part).toString('base64url');
const token = (payload: string | Buffer, header: string | Buffer = HEADER, signature = 'c2ln') =>
  `${encoded(header)}.${encoded(payload)}.${signature}`;
const read = (payload: string | Buffer) => readCompact(token(payload));

describe('a token in compact form', () => {
  it('comes back in its parts', () => {
    const text = token('{"iss":"a","n":[1,{"b":null}]}');
    expect(readCompact(text)).toEqual({
      header: { alg: 'ES256' },
      payload: { iss: 'a', n: [1, { b: null }] },
      input: text.slice(0, text.lastIndexOf('.')),
      signature: 'c2ln',
    });
  });

  it('may have any JSON', () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
    const spaces = fc.constantFrom(undefined, '\t', 2);
    fc.assert(
      fc.property(object, spaces, (payload, space) => {
        const text = JSON.stringify(payload, null, space).toWellFormed();
        expect(read(text)?.payload).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each<[string, string]>([
    ['nothing', '{}'],
    ['colons, quotes and braces', String.raw`{"a:b":":","c\":{":"\"x\":{\"y\":1}","d\\":"\\","e":"[\\\":]"}`],
    ['one name in two objects', '{"a":{"a":1},"b":[{"a":1},{"a":2}]}'],
    ['names of prototypes', '{"__proto__":{"iss":"x"},"constructor":{"prototype":1},"toString":7}'],
    ['escaped colons', String.raw`{"a\u003ab":"\u003a"}`],
    ['spaces', ' {\n"a" :\t1 , "b"\r:{ } } '],
  ])('may have %s', (_what, text) => {
    const payload = read(text)?.payload;
    expect(payload).toEqual(JSON.parse(text));
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
  });

  it('may have a nesting of 1,000', () => {
    const lists = `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    const objects = `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`;
    expect(JSON.stringify(read(lists)?.payload)).toBe(lists);
    expect(JSON.stringify(read(objects)?.payload)).toBe(objects);
  });

  const deep = `${'{"a":'.repeat(500)}{"b":1,"b":2}${'}'.repeat(500)}`;
  it.each<[string, string[]]>([
    ['at the top', ['{"iss":"a","iss":"b"}', '{"iss":"a","iss":"a"}', '{"iss":null,"iss":null}']],
    ['in an object or a list', ['{"a":{"b":1,"b":2}}', '{"a":[[{"b":1,"c":2,"b":3}]]}', deep]],
    ['in another spelling', [String.raw`{"iss":"a","\u0069ss":"b"}`]],
    ['as __proto__, or empty', ['{"__proto__":{"a":1},"__proto__":{"a":2}}', '{"":1,"":2}']],
    ['with other members', ['{"a":{"b":1,"c":2},"a":{"b":1}}', '{"a":1,"a":{"b":1,"c":2}}']],
    ['a thousand times', [`{${'"a":1,'.repeat(1000)}"a":1}`]],
    ['beside colons in strings', ['{"a":":","a":"::"}']],
  ])('is refused if a name occurs twice: %s', (_where, texts) => {
    for (const text of texts) {
      expect([text, read(text), readCompact(token('{}', text))]).toEqual([text, undefined, undefined]);
    }
  });

  it('is refused whenever a member is doubled', () => {
    const names = fc.constantFrom('a', 'b', 'iss', '__proto__', '"', ':', '\\');
    const values = fc.json({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values), { maxLength: 5 }), (members) => {
        const text = `{"x":[{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}]}`;
        const isUnique = new Set(members.map(([name]) => name)).size === members.length;
        expect(read(text) !== undefined).toBe(isUnique);
      }),
    );
  });

  const inQuotes = (...bytes: number[]) => Buffer.from([0x7b, 0x22, ...bytes, 0x22, 0x3a, 0x31, 0x7d]);
  it.each<[string, (string | Buffer)[]]>([
    ['no object', ['[{"iss":"a"}]', '"iss"', '7', 'null', 'true', '  ']],
    ['more or less than an object', ['{"iss":"a"', '{}{}', '{}\0', '\ufeff{}']],
    ['no JSON', ['{"a":1,}', '{"a":1/* */}', '{a:1}', "{'a':1}", '{"a":NaN}', '{"a":"\n"}']],
    ['bytes that are not UTF-8', [inQuotes(0xff), Buffer.from('{"a":1}', 'utf16le')]],
    ['half a surrogate pair, or an overlong character', [inQuotes(0xed, 0xa0, 0x80), inQuotes(0xc0, 0xaf)]],
  ])('is refused if its header or payload is %s', (_what, all) => {
    for (const part of all) {
      expect([part, read(part), readCompact(token('{}', part))]).toEqual([part, undefined, undefined]);
    }
  });

  const parts = token('{"iss":"a"}').split('.') as [string, string, string];
  const [header, payload, signature] = parts;
  const whole = parts.join('.');
  const standard = encoded('{"a":"???>>>"}').replaceAll('_', '/');
  it.each<[string, string[]]>([
    ['has fewer or more parts', ['', `${header}.${payload}`, `${whole}.x`, `${whole}.x.x`]],
    ['has an empty part', [`.${payload}.${signature}`, `${header}..${signature}`, `${header}.${payload}.`]],
    ['has something around it', [` ${whole}`, `${whole}\n`]],
    ['has padding', [`${header}=.${payload}.${signature}`]],
    ['has the standard alphabet', [`${header}.${standard}.${signature}`]],
    ['has a line feed within', [`${header}.${payload.slice(0, 4)}\n${payload.slice(4)}.${signature}`]],
    ['has a character that base64url lacks', [`${header}.${payload}\u00e9.${signature}`]],
    ['has a header of one character too many', [`${header}A.${payload}.${signature}`]],
  ])('is refused if it %s', (_what, texts) => {
    expect(texts.filter((text) => readCompact(text) !== undefined)).toEqual([]);
  });

  it('has one spelling: spare bits of base64url are zero', () => {
    const text = '{"iss":"ab"}'.padEnd(13); // 13 bytes have 18 characters, of which the last has four spare bits
    expect(read(text)).toBeDefined();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spelling = encoded(text);
    const same = [...alphabet]
      .map((last) => spelling.slice(0, -1) + last)
      .filter((other) => Buffer.from(other, 'base64url').toString() === text);
    expect(same).toHaveLength(16);
    expect(same.filter((other) => readCompact(`${encoded(HEADER)}.${other}.c2ln`) !== undefined)).toEqual([
      spelling,
    ]);
    expect(same.filter((other) => readCompact(`${other}.${encoded(HEADER)}.c2ln`) !== undefined)).toEqual([
      spelling,
    ]);
  });

  it('has at most 12,288 characters', () => {
    const ofLength = (length: number) => {
      const most = token('{}', HEADER, 'A'.repeat(length - token('{}', HEADER, '').length));
      expect(most).toHaveLength(length);
      return readCompact(most);
    };
    expect(ofLength(12_288)).toBeDefined();
    expect(ofLength(12_289)).toBeUndefined();
  });

  it('is read or refused, whatever its 12,288 characters are', () => {
    const most = 9100;
    const hostile = [
      '['.repeat(most),
      '{"a":'.repeat(most / 5),
      `{"a":"${'\\'.repeat(most - 10)}`,
      `{"a":"${'\\\\'.repeat(most / 2 - 10)}"}`,
      `{"a":"${'"'.repeat(most - 10)}`,
      ':'.repeat(most),
      `{"a":[${'[],'.repeat(most / 3 - 10)}[]]}`,
      `{"a":${'9'.repeat(most - 10)}}`,
    ];
    // A pattern that backtracks would never return.
    const isRead = hostile.map((text) => read(text) !== undefined);
    expect(isRead).toEqual([false, false, false, true, false, false, true, true]);
  });

  it('never throws', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json());
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(() => readCompact([a, b, c].join('.'))).not.toThrow();
        expect(() => readCompact(token(a, b, c))).not.toThrow();
      }),
    );
  });
});
