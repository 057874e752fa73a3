import { describe, expect, it } from '@jest/globals';
import * as kitAuthIssuers from './index.js';
import * as testing from './testing.js';

describe('kit-auth-issuers', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthIssuers)).toEqual(['KitAuthIssuersModule']);
    expect(Object.keys(testing).sort()).toEqual(['FakeIssuer', 'IssuerConnections']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthIssuers.KitAuthIssuersOptionsFactory {
      async create() {
        return { resource: 'https://api.example.com' };
      }
    }
    const { module } = kitAuthIssuers.KitAuthIssuersModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthIssuers.KitAuthIssuersModule);
  });
});
