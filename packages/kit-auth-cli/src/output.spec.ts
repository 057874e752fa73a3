import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { folder } from 'kit-auth-console/page';
import { CliOutput } from './output.js';

function printed(print: (output: CliOutput) => void): string {
  const stdout = new PassThrough();
  print(new CliOutput(stdout, new PassThrough()));
  return String(stdout.read());
}

describe('output', () => {
  const hostile = 'Mozilla\u009b2J\u202e\u001b[0m';

  it('shows characters that a terminal could interpret as question marks', () => {
    expect(printed((output) => output.line(hostile))).toBe('Mozilla?2J??[0m\n');
  });

  it('shows the same of a name as the console, for each character', async () => {
    const { plain } = (await import(join(folder, 'dom.js'))) as { plain: (text: string) => string };
    const characters = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter(
      (character) => /[^\p{Cn}\p{Co}\p{L}\p{N}]/u.test(character),
    );
    const names = characters.map((character) => `a${character}b`).join('\n');
    const shown = printed((output) => output.line(names));
    expect(shown).toBe(`${plain(names)}\n`);
    expect(shown).not.toMatch(
      /(?![\n\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800\ufff9-\ufffb]/u,
    );
  });

  it('escapes them in JSON, which stays the same', () => {
    const text = printed((output) => output.json({ client: hostile }));
    expect(text).toBe('{\n  "client": "Mozilla\\u009b2J\\u202e\\u001b[0m"\n}\n');
    expect(JSON.parse(text)).toEqual({ client: hostile });
  });

  it('escapes both halves of a character', () => {
    const text = printed((output) => output.json('a\u{e0041}b'));
    expect(text).toBe('"a\\udb40\\udc41b"\n');
    expect(JSON.parse(text)).toBe('a\u{e0041}b');
  });

  it('aligns columns, where wide letters take two', () => {
    expect(printed((output) => output.table(['NAME', 'ID'], [['王', '1']]))).toBe('NAME  ID\n王    1\n');
  });
});
