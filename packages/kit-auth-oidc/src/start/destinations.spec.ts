import { describe, expect, it } from '@jest/globals';
import { oidcOptions } from '../oidc.options.js';
import { Destinations } from './destinations.js';

const API = 'https://api.example.com';
const PAGE = `${API}/app`;
const SPA = 'https://spa.example/login';
const APP_URL = 'com.example.app:/login';
const OTHER = 'https://other.example/login';
const CHALLENGE = 'c'.repeat(43);

/** @param pages where cookies are, if the application has any */
function destinationsOf(pages: object | undefined, returnTo = [PAGE, SPA, APP_URL, OTHER]): Destinations {
  const providers = [{ name: 'test', issuer: 'https://login.example.com', clientId: 'a', clientSecret: 'b' }];
  const resolved = oidcOptions.resolve({ providers, redirectBase: API, returnTo });
  return new Destinations(resolved, { pages } as never);
}

const destinations = destinationsOf({ origins: ['https://other.example'], sameSite: 'lax' });

describe('the end of a login', () => {
  it.each<[string, unknown, unknown, object]>([
    ['the first page, if none is named', undefined, undefined, { returnTo: PAGE }],
    ['a page below a page', `${PAGE}/in?x=1`, undefined, { returnTo: `${PAGE}/in?x=1` }],
    ['a page of another origin with cookies', OTHER, 'not read', { returnTo: OTHER }],
    ['a page without cookies', SPA, CHALLENGE, { returnTo: SPA, challenge: CHALLENGE }],
    ['an app', APP_URL, CHALLENGE, { returnTo: APP_URL, challenge: CHALLENGE }],
  ])('may be %s', (_what, returnTo, challenge, expected) => {
    expect(destinations.read(returnTo, challenge)).toEqual({ challenge: undefined, ...expected });
  });

  it('gets a code everywhere in an application without cookies', () => {
    const without = destinationsOf(undefined);
    expect(() => without.read(PAGE)).toThrow(expect.objectContaining({ code: 40000 }));
    expect(without.read(PAGE, CHALLENGE)).toEqual({ returnTo: PAGE, challenge: CHALLENGE });
  });

  it.each(['//evil.example', `${PAGE}?${'\\'.repeat(900)}`, 7, [PAGE], { toString: 1 }])(
    'is not %j',
    (returnTo) => {
      expect(() => destinations.read(returnTo, CHALLENGE)).toThrow(
        expect.objectContaining({
          code: 40000,
          message: expect.stringContaining('"returnTo" must be one of'),
        }),
      );
    },
  );

  it.each([undefined, {}, [CHALLENGE], '-', 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(43)}\n`])(
    'needs a challenge where there are no cookies, not %j',
    (challenge) => {
      for (const returnTo of [SPA, APP_URL]) {
        expect(() => destinations.read(returnTo, challenge)).toThrow(
          expect.objectContaining({ code: 40000, message: expect.stringContaining('"challenge" must be') }),
        );
      }
    },
  );

  // Browsers keep the fragment along redirects.
  it.each([`${SPA}/out?to=https://evil.example`, `${SPA}?to=https://evil.example`, `${SPA}?`])(
    'has no query where there are no cookies, as %s, which may redirect elsewhere with the code',
    (returnTo) => {
      expect(() => destinations.read(returnTo, CHALLENGE)).toThrow(expect.objectContaining({ code: 40000 }));
    },
  );
});

describe('the page after a logout', () => {
  it.each<[string[], string | undefined]>([
    [[APP_URL, SPA, PAGE], SPA],
    [[APP_URL], undefined],
  ])('of %j is %j', (returnTo, page) => {
    expect(destinationsOf(undefined, returnTo).page).toBe(page);
  });
});
