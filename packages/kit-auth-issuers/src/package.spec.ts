import { describePackage } from 'test-support';
import { issuersOptions } from './issuers.options.js';
import * as index from './index.js';
import * as testing from './testing.js';

const ISSUER: index.Issuer = {
  issuer: 'https://login.example.com',
  audience: 'notes-api',
  jwks: new testing.FakeIssuer({ issuer: 'https://login.example.com', audience: 'notes-api' }).jwks,
  user: () => undefined,
};
const issuers = [ISSUER];

describePackage({
  at: import.meta.url,
  entries: { '': index, testing },
  module: index.KitAuthIssuersModule,
  definition: issuersOptions,
  options: { issuers },
  defaults: { issuers, resource: undefined },
  wrong: [
    [{}, 'kit.auth.issuers.issuers is missing: such as [{ issuer, audience, user }]'],
    [
      { issuers: [], resource: 'api.example.com' },
      'kit.auth.issuers.issuers must be a list of issuers, such as { issuer, audience, user }',
      'kit.auth.issuers.resource must be an absolute URL',
    ],
    [
      { issuers: [ISSUER, ISSUER] },
      'kit.auth.issuers.issuers has the issuer https://login.example.com twice: remove one of them',
    ],
  ],
  environment: [
    [{ KIT_AUTH_ISSUERS_RESOURCE: 'https://api.example.com' }, { resource: 'https://api.example.com' }],
  ],
  needs: { once: /both resolve tokens of the issuer "https:/ },
});
