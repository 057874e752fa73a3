import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { guessableBecause } from './secret.check.js';

describe('guessableBecause', () => {
  const PLACEHOLDER = 'contains a placeholder, such as "change-me"';
  const FEW = 'consists of very few different characters';
  const REPEATED = 'repeats a few characters again and again';
  const SEQUENCE = 'is a sequence, such as "0123456789"';

  it.each([
    ['a'.repeat(32), FEW],
    [`${'a'.repeat(40)}1`, FEW],
    ['change-me-change-me-change-me-change-me', PLACEHOLDER],
    ['please change this secret in production', PLACEHOLDER],
    ['your-256-bit-secret-your-256-bit-secret', PLACEHOLDER],
    ['DO NOT USE THIS VALUE. INSTEAD, CREATE A COMPLEX SECRET AND KEEP IT SAFE.', PLACEHOLDER],
    ['S3cret!S3cret!S3cret!S3cret!S3cr', REPEATED],
    ['0123456789abcdef0123456789abcdef', REPEATED],
    ['abcdefghijklmnopqrstuvwxyz123456', SEQUENCE],
  ])('finds that %s is easy to guess: it %s', (secret, reason) => {
    expect(guessableBecause(secret)).toBe(reason);
  });

  it.each(['base64url', 'hex', 'base64'] as const)('finds nothing in random secrets in %s', (encoding) => {
    const secrets = Array.from({ length: 1000 }, () => randomBytes(32).toString(encoding));
    expect(secrets.filter((secret) => guessableBecause(secret) !== undefined)).toEqual([]);
  });
});
