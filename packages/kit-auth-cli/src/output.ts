import type { Writable } from 'node:stream';
import type { AuthCommandOutput } from 'kit-auth';

/**
 * Characters that a terminal could interpret, that are invisible, or that change the direction of text: two names could look
 * the same. The console has the same expression in `page/dom.js`. `init` runs without kit-auth, so both cannot import it.
 */
const UNSAFE =
  /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** Writes results to `stdout`, and notes and errors to `stderr`. */
export class CliOutput implements AuthCommandOutput {
  constructor(
    private readonly stdout: Writable,
    private readonly stderr: Writable,
  ) {}

  line(text = ''): void {
    this.stdout.write(`${safe(text)}\n`);
  }

  table(header: readonly string[], rows: readonly (readonly string[])[]): void {
    const lines = [header, ...rows].map((cells) => cells.map(safe));
    const widths = header.map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column]))));
    for (const cells of lines) {
      const padded = cells.map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - widthOf(cell)));
      this.stdout.write(`${padded.join('  ').trimEnd()}\n`);
    }
  }

  json(value: unknown): void {
    this.stdout.write(`${JSON.stringify(value, undefined, 2).replace(UNSAFE, escaped)}\n`);
  }

  note(text: string): void {
    this.stderr.write(`${text.split('\n').map(safe).join('\n')}\n`);
  }

  /** Prints text of the command line itself, with line breaks. */
  text(text: string): void {
    this.stdout.write(`${text}\n`);
  }
}

/** Escapes characters like JSON, but keeps the line breaks of the indentation. */
function escaped(character: string): string {
  return character === '\n'
    ? character
    : Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
        .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
        .join('');
}

function safe(text: string): string {
  return text.replace(UNSAFE, '?');
}

/** Source text and paths for a terminal, with tabs and line breaks. */
export function safeSource(text: string): string {
  return text.replace(/[^\t\n]+/g, safe);
}

/** Numbered steps. @param steps each with its lines */
export function numbered(steps: readonly (readonly string[])[]): string[] {
  return steps.flatMap((lines, step) => lines.map((line, i) => `${i === 0 ? `${step + 1}.` : '  '} ${line}`));
}

/** The width in columns of a terminal. Wide letters take two columns, and marks none. */
function widthOf(text = ''): number {
  let width = 0;
  for (const letter of text.normalize('NFC')) {
    width += /\p{M}/u.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]|\p{Emoji_Presentation}/u;
