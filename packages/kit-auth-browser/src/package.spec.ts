import { describePackage } from 'test-support';
import * as client from './client.js';
import { browserOptions } from './browser.options.js';
import * as index from './index.js';

const EXACT =
  'exact origins such as https://app.example: scheme://host, with :port where it is not the default';

describePackage({
  at: import.meta.url,
  entries: { '': index, client },
  module: index.KitAuthBrowserModule,
  definition: browserOptions,
  options: {},
  defaults: { origins: [], bodyOrigins: [], sameSite: 'lax', name: 'kit-auth', insecureLocalhost: false },
  // browser.options.spec.ts has the origins.
  wrong: [
    [
      { origins: '', bodyOrigins: '', sameSite: 'Lax', name: 'a b', insecureLocalhost: 'true' },
      `kit.auth.browser.origins must be a list of ${EXACT}`,
      `kit.auth.browser.bodyOrigins must be a list of ${EXACT}`,
      "kit.auth.browser.sameSite must be 'lax' or 'strict'",
      'kit.auth.browser.name must be 1 to 64 letters, digits, "_" or "-"',
      'kit.auth.browser.insecureLocalhost must be the boolean true or false',
    ],
    [{ name: '' }, 'kit.auth.browser.name must be a non-blank string'],
    [{ name: '__host-token' }, 'kit.auth.browser.name must not have a prefix: "__Host-" is added'],
    [
      { sameSite: 'none' },
      "kit.auth.browser.sameSite must be 'lax' or 'strict'. With 'none', browsers send the cookies with requests of " +
        'every site, or block them. Name pages of another site in bodyOrigins',
    ],
    [
      { origins: ['https://app.example'], bodyOrigins: ['https://app.example'] },
      'kit.auth.browser.bodyOrigins has an origin that origins has too: its pages get either cookies or bodies',
    ],
  ],
  environment: [
    [
      {
        KIT_AUTH_BROWSER_ORIGINS: 'https://a.example,https://b.example',
        KIT_AUTH_BROWSER_BODY_ORIGINS: 'capacitor://localhost',
        KIT_AUTH_BROWSER_SAME_SITE: 'strict',
        KIT_AUTH_BROWSER_NAME: 'shop_2-x',
        KIT_AUTH_BROWSER_INSECURE_LOCALHOST: 'true',
      },
      {
        origins: ['https://a.example', 'https://b.example'],
        bodyOrigins: ['capacitor://localhost'],
        sameSite: 'strict',
        name: 'shop_2-x',
        insecureLocalhost: true,
      },
    ],
  ],
  needs: { once: /more than one/ },
});
