import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { readBody } from './body.js';
import { isSentAsJson, readJsonObject } from './json-body.js';
import { TEXT } from './schema.js';

const JSON_TYPE = { 'content-type': 'application/json', 'content-length': '2' };
const sent = (body: unknown, headers: IncomingHttpHeaders = JSON_TYPE, more: object = {}) => ({
  headers,
  body,
  ...more,
});
const refusal = (message: string) => expect.objectContaining({ code: 40000, message });

describe('a JSON body', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/json ;charset=utf-8', true],
    ['application/jsonp', false],
    ['application/problem+json', false],
    ['text/plain', false],
    ['text/json', false],
    ['application/jsonx', false],
    ['application/json, text/plain', false],
    ['multipart/form-data; boundary=x', false],
    ['nonsense', false],
    ['/', false],
    ['', false],
    [undefined, false],
  ])('is sent as %s: %s', (type, expected) => {
    expect(isSentAsJson({ headers: { 'content-type': type } })).toBe(expected);
  });

  it('is an object', () => {
    const body = { a: 1 };
    expect(readJsonObject(sent(body))).toBe(body);
    for (const other of [undefined, null, 'x', 7, [], Buffer.from('{}')]) {
      expect(() => readJsonObject(sent(other))).toThrow(refusal('Send a JSON object as application/json'));
    }
    expect(() => readJsonObject(sent(body, { 'content-type': 'text/plain' }))).toThrow(
      refusal('Send a JSON object as application/json'),
    );
  });

  it('has strings, and the refusal names them', () => {
    const read = (body: object) => readBody({ username: TEXT, password: TEXT }, sent(body));
    expect(read({ username: 'ada', password: ' x ', more: 1 })).toEqual({ username: 'ada', password: ' x ' });
    const wanted = 'Send a JSON object with the strings "username" and "password" as application/json';
    const noText = [undefined, null, 7, true, ['x'], { $ne: '' }];
    for (const password of [...noText, '', ' \t\n', 'x'.repeat(1025), '\ud800']) {
      expect(() => read({ username: 'ada', password })).toThrow(refusal(wanted));
    }
    expect(read({ username: 'ada', password: 'x'.repeat(1024) }).password).toHaveLength(1024);
    expect(() => read(Object.create({ username: 'ada', password: 'x' }) as object)).toThrow(refusal(wanted));
  });
});

describe('the warning of a body that no parser has read', () => {
  const warn = jest.fn<(line: string) => void>();
  const refuse = (headers: IncomingHttpHeaders, more: object, body?: unknown) => {
    warn.mockClear();
    expect(() => readJsonObject(sent(body, { ...JSON_TYPE, ...headers }, more))).toThrow();
    return warn.mock.calls.map(([line]) => line);
  };

  beforeEach(() => Logger.overrideLogger({ warn, log: () => undefined, error: () => undefined }));
  afterEach(() => Logger.overrideLogger(false));

  it('comes once for each application, and says what to do on its platform', () => {
    const [express, fastify] = [{ app: {} }, { server: {} }];
    expect(refuse({}, express)).toEqual([expect.stringContaining("call app.useBodyParser('json')")]);
    expect(refuse({}, express)).toEqual([]);
    expect(refuse({}, { app: {} })).toHaveLength(1);
    expect(refuse({}, fastify)).toEqual([expect.stringContaining('fastify.addContentTypeParser')]);
    expect(refuse({}, fastify)).toEqual([]);
  });

  const chunked = { 'transfer-encoding': 'chunked' };
  it.each<[string, IncomingHttpHeaders, object, unknown, number]>([
    ['a body of unknown length', { ...chunked, 'content-length': undefined }, { app: {} }, undefined, 1],
    ['bytes', {}, { app: {} }, Buffer.from('{}'), 1],
    ['no body', { 'content-length': '0' }, { app: {} }, undefined, 0],
    ['no length', { 'content-length': undefined }, { app: {} }, undefined, 0],
    ['a body that was read', {}, { app: {} }, [], 0],
    ['no application', {}, {}, undefined, 0],
    ['another type', { 'content-type': 'text/plain' }, { app: {} }, undefined, 0],
  ])('depends on what was sent: %s', (_what, headers, more, body, times) => {
    expect(refuse(headers, more, body)).toHaveLength(times);
  });
});
