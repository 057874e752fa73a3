import { describe, expect, it } from '@jest/globals';
import { registrationOptions } from './registration.options.js';

describe('the options of registration', () => {
  it('have defaults', () => {
    expect(registrationOptions.resolve()).toMatchObject({
      problems: [],
      warnings: [],
      settings: { mode: 'open', roles: [] },
    });
  });

  it.each<[string, unknown]>([
    ['mode', 'closed'],
    ['mode', true],
    ['roles', 'member'],
    ['roles', [' ']],
    ['roles', [7]],
    ['roles', { member: true }],
  ])('may not have %s %j', (key, value) => {
    const { problems } = registrationOptions.resolve({ [key]: value });
    expect(problems).toEqual([expect.stringContaining(`kit.auth.registration.${key} `)]);
  });

  it.each([
    ['member', ['member']],
    [' member , reader,', ['member', 'reader']],
    ['', []],
  ])('read KIT_AUTH_REGISTRATION_ROLES=%s as %j', (text, roles) => {
    expect(registrationOptions.shape.roles.rules.parse?.(text)).toEqual(roles);
  });
});
