import { choice, endpoints, list, object, optional, TEXT, value, type WireOf } from 'kit-auth/feature';

const JWK = {
  kty: choice('OKP', 'EC', 'RSA'),
  kid: TEXT,
  alg: choice('EdDSA', 'ES256', 'RS256'),
  use: choice('sig'),
  crv: optional(TEXT),
  x: optional(TEXT),
  y: optional(TEXT),
  n: optional(TEXT),
  e: optional(TEXT),
};
const JWK_SET = { keys: list(object(JWK)) };

export const jwtApi = endpoints({
  'GET jwks': {
    id: 'kitAuthJwks',
    summary: 'Lists the public keys that verify tokens (RFC 7517)',
    isPublic: true,
    // The handler returns JSON, or nothing for 304.
    answer: value<string | undefined, WireOf<typeof JWK_SET>>(object(JWK_SET).json),
  },
});
