import { describe, expect, it } from '@jest/globals';
import * as kitAuthFactors from './index.js';
import * as testing from './testing.js';
import * as typeorm from './typeorm.js';

describe('kit-auth-factors', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthFactors).sort()).toEqual(['KitAuthFactorsModule', 'UserFactors']);
    expect(Object.keys(testing)).toEqual(['enrolFactor']);
    expect(Object.keys(typeorm).sort()).toEqual([
      'AuthRecoveryCode',
      'AuthTotp',
      'kitAuthEntities',
      'kitAuthMigrations',
    ]);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthFactors.KitAuthFactorsOptionsFactory {
      async create() {
        return { keys: ['k'.repeat(32)], issuer: 'App' };
      }
    }
    const { module } = kitAuthFactors.KitAuthFactorsModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthFactors.KitAuthFactorsModule);
  });
});
