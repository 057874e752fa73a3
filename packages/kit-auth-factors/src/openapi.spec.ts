import { describe, expect, it } from '@jest/globals';
import { documentAccess, documentKitAuth } from 'kit-auth/openapi';
import { documentKitAuthFactors } from './openapi.js';

const PREFIX = '/v1/api/auth/';

interface Described {
  requestBody: Content;
  responses: Record<string, Content & { description: string }>;
}
interface Content {
  content: Record<string, { schema: { properties: Record<string, object>; required?: string[] } }>;
}

/** A document of these POST endpoints, as a generator leaves it. */
function documentOf(...names: string[]) {
  return { paths: Object.fromEntries(names.map((name) => [PREFIX + name, { post: {} as Described }])) };
}

const json = ({ content }: Content) => content['application/json']!.schema;

describe('documentKitAuthFactors()', () => {
  const document = documentKitAuthFactors(documentKitAuth(documentOf('login', 'login/factor', 'fresh')));
  const of = (name: string) => document.paths[PREFIX + name]!.post;

  it('describes the second step of a login', () => {
    const { requestBody, responses } = of('login/factor');
    expect(json(requestBody).required).toEqual(['challenge', 'factor', 'code']);
    expect(json(responses['200']!).required).toEqual(['token', 'user']);
    expect(responses['401']!.description).toBe('40113 FACTOR_FAILED');
  });

  it('adds the answer 40112 to POST login, with its members', () => {
    const { 401: failed } = of('login').responses;
    expect(failed!.description).toBe('40110 LOGIN_FAILED, 40111 USER_DISABLED, 40112 SECOND_FACTOR_REQUIRED');
    expect(Object.keys(json(failed!).properties)).toEqual(
      expect.arrayContaining(['challenge', 'factors', 'expiresAt']),
    );
    expect(json(failed!).required).toEqual(['statusCode', 'code', 'error', 'message']);
  });

  it('adds a code to the body of POST fresh, in place of the password', () => {
    const { requestBody, responses } = of('fresh');
    expect(Object.keys(json(requestBody).properties)).toEqual(['password', 'factor', 'code']);
    expect(json(requestBody).required).toBeUndefined();
    expect(responses['401']!.description).toContain(', 40113 FACTOR_FAILED');
  });

  it('says that users who must choose a new password do that first', () => {
    const paths = { [`${PREFIX}login/factor`]: {}, [`${PREFIX}factors`]: { get: {} as Described } };
    const { get } = documentKitAuthFactors({ paths }).paths[`${PREFIX}factors`];
    expect(get.responses['403']!.description).toBe('40301 PASSWORD_CHANGE_REQUIRED');
  });

  it('can be called again, and before or after documentAccess()', () => {
    const routes = [
      { method: 'POST', path: `${PREFIX}fresh`, decision: 'token', requires: [{ kind: 'fresh' }] },
    ];
    const once = documentAccess(documentOf('fresh', 'login/factor'), routes);
    documentKitAuthFactors(documentKitAuth(once));
    documentAccess(once, routes);
    const described = JSON.stringify(once);
    expect(described).toContain('40113 FACTOR_FAILED, 40120 FRESH_LOGIN_REQUIRED');
    expect(JSON.stringify(documentAccess(documentKitAuthFactors(once), routes))).toBe(described);
  });

  it('leaves a document of an application without these endpoints as it is', () => {
    const login = documentKitAuth(documentOf('login'));
    const before = JSON.stringify(login);
    expect(JSON.stringify(documentKitAuthFactors(login))).toBe(before);
    expect(before).not.toContain('40112 SECOND_FACTOR_REQUIRED');
  });
});
