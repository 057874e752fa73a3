import { describe, expect, it } from '@jest/globals';
import { foldCase } from '../../../packages/kit-auth-admin/src/input/fold-case.js';
import { describeTexts } from './admin-texts.suite.js';

describeTexts({ database: 'sqlite', platform: 'express', provider: 'session' });
describeTexts({ database: 'sqlite', platform: 'fastify', provider: 'jwt' });

describe('foldCase', () => {
  it('maps all cases and forms of a character to the same text', () => {
    const different: string[] = [];
    // No character beyond has a case.
    for (let code = 0; code <= 0x1ffff; code++) {
      const text = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
      const folded = foldCase(text);
      const others = [text.toLowerCase(), text.toUpperCase(), text.normalize('NFC'), text.normalize('NFD')];
      if ([folded, ...others].some((other) => other !== text && foldCase(other) !== folded)) {
        different.push(code.toString(16));
      }
    }
    expect(different).toEqual([]);
  });
});
