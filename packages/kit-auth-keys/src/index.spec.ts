import { describe, expect, it } from '@jest/globals';
import * as kitAuthKeys from './index.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

describe('kit-auth-keys', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthKeys).sort()).toEqual(['AllowKeys', 'KitAuthKeysModule']);
    expect(Object.keys(testing)).toEqual(['actingWithKey']);
    expect(Object.keys(typeorm).sort()).toEqual(['AuthApiKey', 'kitAuthEntities', 'kitAuthMigrations']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthKeys.KitAuthKeysOptionsFactory {
      async create() {
        return { maxPerUser: 5 };
      }
    }
    const { module } = kitAuthKeys.KitAuthKeysModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthKeys.KitAuthKeysModule);
  });
});
