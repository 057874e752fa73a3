import { describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from 'kit-auth';
import { describeExports } from 'test-support';
import * as index from './index.js';
import { adminOptions } from './kit-auth-admin.options.js';
import * as typeorm from './typeorm.js';

describeExports({ at: import.meta.url, entries: { '': index, typeorm } });

describe('the options of kit-auth-admin', () => {
  it('have defaults', () => {
    expect(adminOptions.resolve({})).toMatchObject({
      settings: { auditRetentionDays: 365, freshAdmin: true },
      problems: [],
      warnings: [],
    });
  });

  it.each([0, 3651, 1.5, '30'])('refuse to keep events for %j days', (auditRetentionDays) => {
    expect(adminOptions.resolve({ auditRetentionDays, freshAdmin: 'no' }).problems).toEqual([
      'kit.auth.admin.auditRetentionDays must be a whole number from 1 to 3650',
      'kit.auth.admin.freshAdmin must be the boolean true or false',
    ]);
  });

  it('can come from the environment', () => {
    const variables = { KIT_AUTH_ADMIN_AUDIT_RETENTION_DAYS: '30', KIT_AUTH_ADMIN_FRESH_ADMIN: 'false' };
    Object.assign(process.env, variables);
    try {
      expect(kitAuthConfig().admin).toEqual({ auditRetentionDays: 30, freshAdmin: false });
    } finally {
      Object.keys(variables).forEach((variable) => Reflect.deleteProperty(process.env, variable));
    }
  });
});
