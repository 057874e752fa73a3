import { describe, expect, it, jest } from '@jest/globals';
import { badRequest, notFound } from 'kit-auth/feature';
import { OidcStart } from './start.js';

const LOGIN = 'https://login.example.com';
const DESTINATION = { returnTo: 'https://app.example.com', challenge: undefined };

function startOf({ countAttempt = async () => undefined }: { countAttempt?: () => Promise<void> } = {}) {
  const providers = {
    get: (name: string) => {
      if (name !== 'test') {
        throw notFound('Provider');
      }
      return { name };
    },
  };
  const destinations = {
    read: (returnTo: unknown) => {
      if (returnTo !== undefined) {
        throw badRequest('"returnTo" is wrong');
      }
      return DESTINATION;
    },
  };
  const begin = jest.fn(async (...[wanted]: [object, unknown]) => ({ ...wanted, state: 'a-state' }));
  const authorizationUrl = jest.fn<(...given: unknown[]) => Promise<string>>(async () => `${LOGIN}/auth`);
  const context = { client: () => undefined };
  const parts = [
    providers,
    destinations,
    { begin },
    { countAttempt },
    { authorizationUrl },
    {},
    {},
    {},
    context,
  ];
  const start = new OidcStart(...(parts as unknown as ConstructorParameters<typeof OidcStart>));
  return { start, begin, authorizationUrl };
}

describe('the start of a login', () => {
  const { start } = startOf();

  it.each<[object, object]>([
    [{}, { remember: false, prompt: undefined }],
    [
      { remember: 'true', prompt: 'select_account' },
      { remember: true, prompt: 'select_account' },
    ],
    [
      { remember: 'false', prompt: 'none' },
      { remember: false, prompt: 'none' },
    ],
  ])('reads the query %j', (query, expected) => {
    const read = start.readLogin('test', query as never);
    expect(read).toEqual({ provider: 'test', ...DESTINATION, ...expected });
  });

  it.each([
    { remember: ['true', 'true'] },
    { remember: 'yes' },
    { remember: '' },
    { prompt: ['none', 'none'] },
    { prompt: 'create' },
    { prompt: { none: 1 } },
    { returnTo: ['a', 'b'] },
  ])('refuses the query %j', (query) => {
    expect(() => start.readLogin('test', query as never)).toThrow(expect.objectContaining({ code: 40000 }));
  });

  it.each(['__proto__', 'constructor', '\0', 'x'.repeat(99), ''])('knows no provider %j', (name) => {
    expect(() => start.readLogin(name, {})).toThrow(expect.objectContaining({ code: 40400 }));
  });

  it('goes to the provider with what protects the attempt', async () => {
    const { start: one, begin, authorizationUrl } = startOf();
    const login = { ...DESTINATION, provider: 'test', remember: true };
    await one.logIn({ ...login, prompt: 'none' }, {} as never);
    const attempt = { ...login, purpose: 'login', initiator: undefined };
    expect(begin).toHaveBeenCalledWith(attempt, {});
    const request = { ...attempt, state: 'a-state', prompt: 'none', isFresh: false };
    expect(authorizationUrl).toHaveBeenCalledWith({ name: 'test' }, request);
  });

  it('stores nothing when there are too many', async () => {
    const tooMany = new Error('42900');
    const { start: one, begin } = startOf({ countAttempt: () => Promise.reject(tooMany) });
    const login = { ...DESTINATION, provider: 'test', remember: false, prompt: undefined };
    await expect(one.logIn(login, {} as never)).rejects.toBe(tooMany);
    expect(begin).not.toHaveBeenCalled();
  });
});
