import { describe, expect, it } from '@jest/globals';
import {
  BOOLEAN,
  choice,
  described,
  type DescribedApplication,
  EMAIL,
  FLAG,
  INTEGER,
  jsonOf,
  list,
  NAME,
  object,
  objectJson,
  optional,
  orNull,
  parsed,
  PASSWORD,
  REMEMBER,
  type ServerOf,
  TEXT,
  text,
  TIME,
  value,
  type WireOf,
} from './schema.js';

const refusal = (message: unknown) => expect.objectContaining({ code: 40000, message });
const application = (cookies: boolean): DescribedApplication => ({
  userId: { type: 'integer' },
  user: { type: 'object' },
  cookies,
});
const WITHOUT_COOKIES = application(false);

describe('a schema', () => {
  it.each([
    [NAME, 'Backup', ['', ' Backup', 'a\nb', 'x'.repeat(65), 7, undefined], 'have 1 to 64 characters'],
    [INTEGER, 3, [0.5, '3', Number.NaN, 2 ** 53, null, undefined], 'be a whole number'],
    [BOOLEAN, false, ['false', 0, null, undefined], 'be true or false'],
    [choice('asc', 'desc'), 'desc', ['up', ['asc'], undefined], 'be "asc" or "desc"'],
  ])('%# reads its value, and names the member of another one', (schema, right, wrong, must) => {
    expect(schema.read(right, 'it')).toBe(right);
    for (const given of wrong) {
      expect(() => schema.read(given, 'it')).toThrow(refusal(expect.stringContaining(`"it" must ${must}`)));
    }
  });

  it('may parse, with a refusal of its own', () => {
    const color = parsed({ type: 'string' }, 'be a color', (it) => (it === '#0af' ? 0x00aaff : undefined));
    expect(color.read('#0af', 'ink')).toBe(0x00aaff);
    expect(() => color.read('blue', 'ink')).toThrow(refusal('"ink" must be a color'));
  });

  it('of a flag in a query takes two words, and nothing is absent', () => {
    expect(['true', 'false', ''].map((it) => FLAG.read(it, 'all'))).toEqual([true, false, undefined]);
    expect(() => FLAG.read('1', 'all')).toThrow(refusal('all must be true or false'));
    expect(() => FLAG.read(['true', 'true'], 'all')).toThrow(refusal('all must be true or false'));
  });

  it('that admits null reads any other value', () => {
    expect(orNull(INTEGER).read(null, 'days')).toBeNull();
    expect(orNull(INTEGER).read(3, 'days')).toBe(3);
    expect(() => orNull(INTEGER).read('3', 'days')).toThrow(refusal('"days" must be a whole number'));
  });

  it('of a string checks it, also behind another schema', () => {
    for (const schema of [TEXT, PASSWORD, optional(EMAIL), orNull(TEXT), orNull(described(TEXT, 'A note'))]) {
      expect(schema.read('x', 'note')).toBe('x');
      for (const given of [{ $ne: '' }, ['x'], 7, ' ', '\ud800', 'x'.repeat(1025)]) {
        expect(() => schema.read(given, 'note')).toThrow(
          refusal('Send a JSON object with the strings "note" as application/json'),
        );
      }
    }
  });

  it.each([
    ['a time', TIME],
    ['a list', list(TEXT)],
    ['an object', optional(object({ id: TEXT }))],
  ])('of %s in answers does not read bodies unchecked', (_name, schema) => {
    expect(() => schema.read('x', 'it')).toThrow('"it" has a schema for answers');
  });

  it('leaves what handlers check as it is', () => {
    const given = { any: 'thing' };
    expect(value({}).read(given, 'it')).toBe(given);
    expect(REMEMBER.read('yes', 'remember')).toBe('yes');
  });

  it.each([
    [TEXT, { type: 'string' }],
    [text({ maxLength: 8 }), { type: 'string', maxLength: 8 }],
    [PASSWORD, { type: 'string', format: 'password' }],
    [EMAIL, { type: 'string', format: 'email', maxLength: 254 }],
    [TIME, { type: 'string', format: 'date-time' }],
    [choice('a', 'b'), { type: 'string', enum: ['a', 'b'] }],
    [orNull(TIME), { type: 'string', format: 'date-time', nullable: true }],
    [described(INTEGER, 'Bytes'), { type: 'integer', description: 'Bytes' }],
    [list(TEXT, { maxItems: 5 }), { type: 'array', items: { type: 'string' }, maxItems: 5 }],
    [object({ id: TEXT }), { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }],
  ])('%# has a JSON schema', (schema, json) => {
    expect(jsonOf(schema, WITHOUT_COOKIES)).toEqual(json);
  });

  it('of an object leaves out what the application does not have, and requires the rest', () => {
    const shape = { user: value(({ userId }) => userId), note: optional(TEXT), remember: REMEMBER };
    expect(objectJson(shape, WITHOUT_COOKIES)).toEqual({
      type: 'object',
      properties: { user: { type: 'integer' }, note: { type: 'string' } },
      required: ['user'],
    });
    expect(objectJson(shape, application(true))['properties']).toHaveProperty('remember', {
      type: 'boolean',
    });
    expect(objectJson({ note: optional(TEXT) }, WITHOUT_COOKIES)).not.toHaveProperty('required');
  });

  it('of a nested value depends on the application, too', () => {
    const none = value(() => undefined);
    expect(jsonOf(orNull(none), WITHOUT_COOKIES)).toBeUndefined();
    expect(jsonOf(described(none, 'Nothing'), WITHOUT_COOKIES)).toBeUndefined();
    expect(jsonOf(list(value(({ userId }) => userId)), WITHOUT_COOKIES)).toEqual({
      type: 'array',
      items: { type: 'integer' },
    });
  });

  it('has one type in handlers and another one in clients', () => {
    const SHAPE = { at: TIME, until: orNull(TIME), name: optional(NAME), tags: list(choice('a', 'b')) };
    expect(Object.keys(SHAPE)).toHaveLength(4);
    const server: ServerOf<typeof SHAPE> = { at: new Date(0), until: null, tags: ['a'] };
    const wire: WireOf<typeof SHAPE> = {
      at: '1970-01-01T00:00:00.000Z',
      until: null,
      name: 'x',
      tags: ['b'],
    };
    // @ts-expect-error -- a string in clients only
    const early: ServerOf<typeof SHAPE> = { ...server, at: '1970-01-01T00:00:00.000Z' };
    // @ts-expect-error -- not one of the choices
    const other: WireOf<typeof SHAPE> = { ...wire, tags: ['c'] };
    // @ts-expect-error -- required
    const missing: WireOf<typeof SHAPE> = { until: null, tags: [] };
    expect([server, wire, early, other, missing]).toHaveLength(5);
  });
});
