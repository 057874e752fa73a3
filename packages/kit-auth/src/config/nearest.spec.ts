import { describe, expect, it } from '@jest/globals';
import { nearest } from './nearest.js';

describe('nearest', () => {
  const candidates = [
    'KIT_AUTH_JWT_SECRET',
    'KIT_AUTH_JWT_EXPIRE_HOURS',
    'KIT_AUTH_SESSION_IDLE_MINUTES',
    'KIT_AUTH_STRICT',
  ];

  it.each([
    ['KIT_AUTH_JWT_SECRT', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_JWT_SECERT', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_STRIKT', 'KIT_AUTH_STRICT'],
    ['KIT_AUTH_JWT_EXPIRE_HOUR', 'KIT_AUTH_JWT_EXPIRE_HOURS'],
    ['KIT_AUTH_STRICT_MODE', 'KIT_AUTH_STRICT'],
    ['KIT_AUTH_IDLE_MINUTES', 'KIT_AUTH_SESSION_IDLE_MINUTES'],
    ['KIT_AUTH_SECRET', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_STRICTLY', 'KIT_AUTH_STRICT'],
    ['KIT_AUTH_STRICTEST', undefined],
    ['KIT_AUTH_JWT_SCRET_KEY', undefined],
    ['KIT_AUTH_OTHER', undefined],
  ])('to %s is %s', (name, meant) => {
    expect(nearest(name, candidates)).toBe(meant);
  });
});
