import { describe, expect, it } from '@jest/globals';
import type { TransportExchanges } from 'kit-auth/login';
import type { MailLimits } from '../mails/mail.limits.js';
import type { LinkLogins, ShownLink } from './link.logins.js';
import { KitAuthLoginLinkController } from './login-link.controller.js';
import type { LoginLinkCookie } from './login-link.cookie.js';
import type { LoginLinks } from './login-links.js';

const ADDRESS = 'Ada@Example.com';
const CODE = 'BCDFGHJK';
const requestWith = (body: unknown) => ({ body, headers: { 'content-type': 'application/json' } }) as never;
/** Unlike a literal, it gives `__proto__` as a member of its own. */
const parsed = (text: string): unknown => JSON.parse(text);

describe('the endpoints of login links', () => {
  const asked: object[] = [];
  const shown: ShownLink[] = [];
  const exchange = { request: {} };
  const controller = new KitAuthLoginLinkController(
    { sendTo: (...args: object[]) => void asked.push(args) } as unknown as LoginLinks,
    {
      logIn: async (link: ShownLink) => {
        shown.push(link);
        return {};
      },
    } as unknown as LinkLogins,
    { bind: () => 'a hash', keep: () => undefined } as unknown as LoginLinkCookie,
    { countRequest: async () => undefined } as unknown as MailLimits,
    { exchange: () => exchange } as unknown as TransportExchanges,
  );

  it.each([true, false, undefined])('send a link that is remembered: %s', async (remember) => {
    const address = { address: ADDRESS, key: 'ada@example.com' };
    await controller.send(requestWith({ email: ADDRESS, ...(remember !== undefined && { remember }) }), {});
    expect(asked.at(-1)).toEqual([address, { browser: 'a hash', remember }]);
  });

  it('trim the address', async () => {
    await controller.send(requestWith({ email: ` ${ADDRESS} ` }), {});
    expect(asked.at(-1)).toEqual([
      { address: ADDRESS, key: 'ada@example.com' },
      { browser: 'a hash', remember: undefined },
    ]);
  });

  it.each<[string, unknown]>([
    ['another word', { email: ADDRESS, remember: 'yes' }],
    ['null', { email: ADDRESS, remember: null }],
    ['no address', { remember: true }],
    ['an array', { email: ['ada@example.com'] }],
    ['a header', { email: 'a@b.c\r\nBcc: eve@example.com' }],
    ['nothing', {}],
    ['no body', undefined],
    ['a prototype', parsed('{"__proto__":{"email":"ada@example.com"}}')],
  ])('send none for %s', async (_, body) => {
    const { length } = asked;
    await expect(async () => controller.send(requestWith(body), {})).rejects.toMatchObject({ code: 40000 });
    expect(asked).toHaveLength(length);
  });

  it.each<[string, object, ShownLink]>([
    ['a token', { token: 'kato_x' }, { token: 'kato_x' }],
    ['an address and a code', { email: ADDRESS, code: CODE }, { key: 'ada@example.com', code: CODE }],
    ['a token and a code, by the token', { token: 'x', email: ADDRESS, code: CODE }, { token: 'x' }],
  ])('log in with %s', async (_, body, read) => {
    await controller.complete(requestWith(body), {});
    expect(shown.at(-1)).toEqual(read);
  });

  it.each<unknown>([
    null,
    { email: ADDRESS },
    { code: CODE },
    { email: ADDRESS, code: [CODE] },
    { email: 'ada', code: CODE },
    { token: null, email: ADDRESS, code: CODE },
    parsed('{"__proto__":{"token":"x"}}'),
  ])('log nobody in with %j', async (body) => {
    const { length } = shown;
    await expect(async () => controller.complete(requestWith(body), {})).rejects.toMatchObject({
      code: 40000,
    });
    expect(shown).toHaveLength(length);
  });
});
