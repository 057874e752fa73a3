import { describe, expect, it } from '@jest/globals';
import * as kitAuthJobs from './index.js';

describe('kit-auth-jobs', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthJobs).sort()).toEqual(['AsCarriedUser', 'KitAuthJobsModule', 'UserCarrier']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthJobs.KitAuthJobsOptionsFactory {
      async create() {
        return { keys: ['k'.repeat(32)], audiences: { reports: { hours: 24 } } };
      }
    }
    const { module } = kitAuthJobs.KitAuthJobsModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthJobs.KitAuthJobsModule);
  });
});
