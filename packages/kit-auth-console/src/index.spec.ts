import { describe, expect, it } from '@jest/globals';
import * as kitAuthConsole from './index.js';

describe('kit-auth-console', () => {
  it('exports this name and no other', () => {
    expect(Object.keys(kitAuthConsole)).toEqual(['KitAuthConsoleModule']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthConsole.KitAuthConsoleOptionsFactory {
      async create() {
        return { title: 'Shop' };
      }
    }
    const { module } = kitAuthConsole.KitAuthConsoleModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthConsole.KitAuthConsoleModule);
  });
});
