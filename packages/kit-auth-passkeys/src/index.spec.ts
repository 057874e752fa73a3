import { describe, expect, it } from '@jest/globals';
import * as kitAuthPasskeys from './index.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

describe('kit-auth-passkeys', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthPasskeys).sort()).toEqual(['KitAuthPasskeysModule', 'UserPasskeys']);
    expect(Object.keys(testing)).toEqual(['fakePasskey']);
    expect(Object.keys(typeorm).sort()).toEqual([
      'AuthPasskey',
      'AuthPasskeyUser',
      'kitAuthEntities',
      'kitAuthMigrations',
    ]);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthPasskeys.KitAuthPasskeysOptionsFactory {
      async create() {
        return { rpId: 'example.com', rpName: 'Example' };
      }
    }
    const { module } = kitAuthPasskeys.KitAuthPasskeysModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthPasskeys.KitAuthPasskeysModule);
  });
});
