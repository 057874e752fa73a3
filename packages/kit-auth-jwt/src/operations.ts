import { type AuthOperations, listOf, objectOf, TEXT } from 'kit-auth/extend';

const KEY = objectOf(
  {
    kty: { type: 'string', enum: ['OKP', 'EC', 'RSA'] },
    kid: TEXT,
    alg: { type: 'string', enum: ['EdDSA', 'ES256', 'RS256'] },
    use: { type: 'string', enum: ['sig'] },
    crv: TEXT,
    x: TEXT,
    y: TEXT,
    n: TEXT,
    e: TEXT,
  },
  ['crv', 'x', 'y', 'n', 'e'],
);

/** The endpoints of this package, for OpenAPI documents. */
export const jwtOperations: AuthOperations = () => ({
  operations: {
    'GET jwks': {
      operationId: 'kitAuthJwks',
      summary: 'Lists the public keys that verify tokens (RFC 7517)',
      answer: objectOf({ keys: listOf(KEY) }),
    },
  },
});
