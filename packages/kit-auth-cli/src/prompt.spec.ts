import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { kitAuth } from 'test-support';
import { newPassword } from './prompt.js';

const stderr = new Writable();

function read(input: string | Buffer, isTTY = false): Promise<string> {
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY });
  return newPassword({ options: { 'password-stdin': true }, stdin, stderr });
}

function ask(typed: string): Promise<string> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.write(typed);
  return newPassword({ options: {}, stdin, stderr: new PassThrough() });
}

// The echo of a real terminal is in apps/e2e/src/cli/terminal.spec.ts.
describe('a new password', () => {
  it.each([
    ['a line', 'pass word\n', 'pass word'],
    ['a line of Windows', 'pass word\r\n', 'pass word'],
    ['no end of line', 'Zo\u00eb \ud83d\ude80', 'Zo\u00eb \ud83d\ude80'],
    ['spaces at the ends', ' x ', ' x '],
    ['16384 bytes', 'x'.repeat(16_384), 'x'.repeat(16_384)],
  ])('is read from standard input: %s', async (_what, input, password) => {
    expect(await read(input)).toBe(password);
  });

  it.each([
    ['nothing', '', 'is empty'],
    ['an empty line', '\n', 'is empty'],
    ['two lines', 'secret\nsecret\n', 'more than one line'],
    ['16385 bytes', 'x'.repeat(16_385), 'more than 16384 bytes'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff]), 'is not UTF-8'],
  ])('is refused: %s', async (_what, input, message) => {
    const refused = read(input);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow('secret');
  });

  it('is not read from a terminal, which would show it', async () => {
    await expect(read('secret\n', true)).rejects.toThrow('Omit --password-stdin');
  });

  it('needs a terminal or --password-stdin', async () => {
    const asked = newPassword({ options: {}, stdin: Readable.from([]), stderr });
    await expect(asked).rejects.toThrow('There is no terminal to ask for the password');
  });

  it.each([
    ['the same twice', 'secret\rsecret\r', 'secret'],
    ['what is left after Backspace', 'secrett\u007f\rsecret\r', 'secret'],
  ])('is asked for in a terminal: %s', async (_what, typed, password) => {
    expect(await ask(typed)).toBe(password);
  });

  it.each([
    ['different passwords', 'secret\rsecrets\r', 'The two passwords are different', 1],
    ['an empty password', '\r\r', 'The password is empty', 1],
    ['Ctrl-C', 'secret\u0003', 'Cancelled', 130],
    ['Ctrl-D', 'secret\r\u0004', 'Cancelled', 1],
  ])('is refused in a terminal: %s', async (_what, typed, message, exitCode) => {
    await expect(ask(typed)).rejects.toMatchObject({ message: expect.stringContaining(message), exitCode });
  });

  it.each([['--password=open-sesame'], ['--password', 'open-sesame']])(
    'is not taken as an argument: %s',
    async (...option) => {
      const { code, stderr: text } = await kitAuth(['user', 'create', 'ada', ...option]);
      expect({ code, text }).toEqual({ code: 2, text: expect.stringContaining('with --password-stdin') });
      expect(text).not.toContain('open-sesame');
    },
  );
});
