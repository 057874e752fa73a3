import type { AuthPasskey } from '../stores/auth-passkey.entity.js';

/**
 * Verified instead of a passkey that does not exist, so that the answer takes a similar time. Its private key is gone; if
 * someone had it, its passkey would still be refused.
 */
export const DUMMY_PASSKEY: Pick<AuthPasskey, 'credentialId' | 'publicKey'> = {
  credentialId: '',
  publicKey:
    'pQECAyYgASFYIBsmcH-siw8_BsAv8HB0qVxXcijmZOiE8Y7QaPEC7qu9IlggoLrJeqPjYQp9smtYbiD4Xi7LncHH3sOlcR3zqu5h5yc',
};
