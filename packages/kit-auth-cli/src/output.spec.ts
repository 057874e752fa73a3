import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
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

  it('escapes them in JSON, which stays the same', () => {
    const text = printed((output) => output.json({ client: hostile }));
    expect(text).toBe('{\n  "client": "Mozilla\\u009b2J\\u202e\\u001b[0m"\n}\n');
    expect(JSON.parse(text)).toEqual({ client: hostile });
  });

  it('aligns columns, where wide letters take two', () => {
    expect(printed((output) => output.table(['NAME', 'ID'], [['王', '1']]))).toBe('NAME  ID\n王    1\n');
  });
});
