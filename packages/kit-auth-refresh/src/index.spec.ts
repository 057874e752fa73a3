import { describe, expect, it } from '@jest/globals';
import * as kitAuthRefresh from './index.js';
import * as typeorm from './typeorm.js';

describe('kit-auth-refresh', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthRefresh)).toEqual(['KitAuthRefreshModule']);
    expect(Object.keys(typeorm).sort()).toEqual(['AuthLogin', 'kitAuthEntities', 'kitAuthMigrations']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthRefresh.KitAuthRefreshOptionsFactory {
      async create() {
        return { lifetimeDays: 90 };
      }
    }
    const { module } = kitAuthRefresh.KitAuthRefreshModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthRefresh.KitAuthRefreshModule);
  });
});
