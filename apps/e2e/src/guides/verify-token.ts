import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';

/** What is read of our tokens. */
export interface Caller extends JWTPayload {
  sub: string;
  roles: string[];
  permissions: string[];
  mustChangePassword?: true;
}

/** Reads the keys with the first token, and again when a token has an unknown key. */
export function tokenVerifier(jwks: string) {
  const keys = createRemoteJWKSet(new URL(jwks));
  return async (token: string): Promise<Caller> => {
    const { payload } = await jwtVerify<Caller>(token, keys, {
      issuer: 'https://app.example.com',
      audience: 'billing', // never leave it out: it refuses tokens for other services
      algorithms: ['EdDSA'],
      requiredClaims: ['exp', 'sub'],
    });
    if (payload.mustChangePassword === true) {
      throw new Error('the user has to choose another password first');
    }
    return payload;
  };
}
