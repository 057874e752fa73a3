import { describe, expect, it } from '@jest/globals';
import * as kitAuthRegistration from './index.js';

describe('kit-auth-registration', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthRegistration)).toEqual(['KitAuthRegistrationModule']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthRegistration.KitAuthRegistrationOptionsFactory {
      async create() {
        return { mode: 'invited' } as const;
      }
    }
    const { module } = kitAuthRegistration.KitAuthRegistrationModule.forRootAsync({
      useClass: FromElsewhere,
    });
    expect(module).toBe(kitAuthRegistration.KitAuthRegistrationModule);
  });
});
