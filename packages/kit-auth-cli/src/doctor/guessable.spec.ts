import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { guessableBecause } from './guessable.js';

describe('guessableBecause', () => {
  it.each([
    'a'.repeat(32),
    `${'a'.repeat(40)}1`,
    '0101101001011010010110100101101001',
    'change-me-change-me-change-me-change-me',
    'CHANGE_ME_IN_PRODUCTION_x8Kq2LzR7vNwT4',
    'please change this secret in production',
    'your-256-bit-secret-your-256-bit-secret',
    'your_jwt_secret_key_with_32_characters',
    'DO NOT USE THIS VALUE. INSTEAD, CREATE A COMPLEX SECRET AND KEEP IT SAFE.',
    '12345678901234567890123456789012',
    'abcdefghijklmnopqrstuvwxyz123456',
    '0123456789abcdef0123456789abcdef',
    'S3cret!S3cret!S3cret!S3cret!S3cr',
  ])('finds that %s is easy to guess', (secret) =>
    expect(guessableBecause(secret)).toEqual(expect.any(String)),
  );

  it.each(['base64url', 'hex', 'base64'] as const)('finds nothing in random secrets in %s', (encoding) => {
    const secrets = Array.from({ length: 1000 }, () => randomBytes(32).toString(encoding));
    expect(secrets.filter((secret) => guessableBecause(secret) !== undefined)).toEqual([]);
  });
});
