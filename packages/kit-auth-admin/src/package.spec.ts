import { describe, expect, it } from '@jest/globals';
import { KitAuthModule, kitAuthConfig } from 'kit-auth';
import { CapableUsersModule, describeExports, testApp } from 'test-support';
import * as api from './api.js';
import * as index from './index.js';
import { adminOptions } from './admin.options.js';
import * as typeorm from './typeorm.js';

describeExports({ at: import.meta.url, entries: { '': index, api, typeorm } });

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

describe('the audit log at start-up', () => {
  it.each([
    [
      { entities: [] },
      'The data source does not contain AuthAudit. Add kitAuthEntities of kit-auth-admin/typeorm',
    ],
    [
      { autoLoadEntities: true },
      'the table auth_audit is missing. Add kitAuthMigrations of kit-auth-admin/typeorm',
    ],
  ])('names what it lacks with %j', async (given, message) => {
    const starting = testApp({
      imports: [index.KitAuthAuditModule],
      core: KitAuthModule.forRoot({ users: CapableUsersModule }),
      database: { type: 'better-sqlite3', database: ':memory:', ...given },
    });
    await expect(starting).rejects.toThrow(message);
  });
});
