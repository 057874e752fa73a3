import { describe, expect, it } from '@jest/globals';
import * as kitAuthOidc from './index.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

describe('kit-auth-oidc', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthOidc).sort()).toEqual([
      'KitAuthOidcModule',
      'UserIdentities',
      'github',
      'google',
      'microsoft',
    ]);
    expect(Object.keys(testing).sort()).toEqual(['FakeProvider', 'ProviderConnections']);
    expect(Object.keys(typeorm).sort()).toEqual([
      'AuthIdentity',
      'AuthIdentityLogin',
      'AuthIdentityLogout',
      'kitAuthEntities',
      'kitAuthMigrations',
    ]);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthOidc.KitAuthOidcOptionsFactory {
      async create() {
        return { redirectBase: 'https://api.example.com' };
      }
    }
    const { module } = kitAuthOidc.KitAuthOidcModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthOidc.KitAuthOidcModule);
  });
});
