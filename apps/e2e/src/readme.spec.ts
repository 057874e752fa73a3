import { readdirSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode, AuthException, kitAuthConfig } from 'kit-auth';
import { Option } from 'kit-auth/extend';
import { adminOptions } from '../../../packages/kit-auth-admin/src/kit-auth-admin.options.js';
import { sessionOptions } from '../../../packages/kit-auth-session/src/config/session.options.js';
import { kitAuthOptions } from '../../../packages/kit-auth/src/config/kit-auth.options.js';

const readme = readFileSync('README.md', 'utf8');

/** The cells of a section's table, without the backticks of code. */
function tableOf(section: string): string[][] {
  const text = readme.slice(readme.indexOf(`## ${section}\n`)).split('\n## ', 2)[0]!;
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The rows of the tables of one definition, by their columns. */
function optionTables(file: string, name: string): Record<string, string>[] {
  const begin = `<!-- options of ${name}: `;
  const sections = readFileSync(file, 'utf8').split(begin).slice(1);
  return sections.flatMap((section) => {
    const [header, , ...rows] = section
      .split('<!--')[0]!
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const cells = (row: string) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''));
    return rows.map((row) => Object.fromEntries(cells(row).map((cell, i) => [cells(header!)[i], cell])));
  });
}

describe('the README', () => {
  it('has a row for every error code, with its name and status', () => {
    const codes = Object.values(AuthErrorCode).filter((code) => typeof code === 'number');
    expect(tableOf('Errors').map(([code, name, status]) => [Number(code), name, Number(status)])).toEqual(
      codes.map((code) => [code, AuthErrorCode[code], new AuthException(code).getStatus()]),
    );
  });

  it.each([
    ['README.md', kitAuthOptions],
    ['packages/kit-auth-session/README.md', sessionOptions],
    ['packages/kit-auth-admin/README.md', adminOptions],
  ])('(%s) has the options that there are, with their defaults and variables', (file, { name, rows }) => {
    const documented = new Map<string, Record<string, string>>();
    for (const { option, ...rest } of optionTables(file, name)) {
      const key = `${name}.${option!.split(' ')[0]}`;
      documented.set(key, { ...documented.get(key), ...rest });
    }
    expect([...documented.keys()]).toEqual(rows.map(({ key }) => key));
    for (const { key, node, variable, isInEnvironment } of rows) {
      const { default: byDefault, variable: named } = documented.get(key)!;
      expect([key, named ?? variable]).toEqual([key, isInEnvironment ? variable : 'none']);
      const value: unknown = node instanceof Option ? node.default : true;
      // Empty lists, functions and what depends on the machine are described in words.
      if (Array.isArray(value) && value.length > 0) {
        expect([key, byDefault]).toEqual([key, value.join(', ')]);
      } else if (['string', 'number', 'boolean'].includes(typeof value) && byDefault !== 'cores minus one') {
        expect([key, byDefault]).toEqual([key, typeof value === 'string' ? `'${value}'` : String(value)]);
      } else {
        expect([key, byDefault]).toEqual([key, expect.stringMatching(/^[a-z ]+$/)]);
      }
    }
  });

  it('has two lines that do everything', () => {
    expect(readme).toMatch(/```sh\nnpm install && npm start\n```/);
    expect(readme).toMatch(/```sh\nnpm install && npm test\n```/);
  });
});

describe('.env.example of the demo', () => {
  const lines = readFileSync('apps/demo/.env.example', 'utf8').match(/(?<=^# )KIT_AUTH_\w+=.*$/gm) ?? [];

  it('has every option that the environment can give', () => {
    expect(lines.map((line) => line.split('=')[0])).toEqual(
      kitAuthOptions.rows.filter((row) => row.isInEnvironment).map(({ variable }) => variable),
    );
  });

  it('has the defaults', () => {
    const withValue = lines.filter((line) => !/=$|^KIT_AUTH_WHITE_LIST=/.test(line)).join('\n');
    const before = { ...process.env };
    try {
      Object.assign(process.env, parseEnv(withValue));
      const { settings, problems, warnings } = kitAuthOptions.resolve(kitAuthConfig());
      expect([problems, warnings]).toEqual([[], []]);
      expect(settings).toEqual(kitAuthOptions.resolve({}).settings);
    } finally {
      process.env = before;
    }
  });
});

describe('the sources of the packages', () => {
  const files = readdirSync('packages').flatMap((name) =>
    readdirSync(`packages/${name}/src`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `packages/${name}/src/${file}`),
  );
  const section = /\bsections? \d/;
  const standard = /RFC \d+|NIST SP/;
  const unpublished = /\bspec(?:'s| section|,|\))|\bthe spec\b|\(contract\b|\w\.md\b/;

  // Comments reach the `.d.ts` files, whose readers have the packages alone.
  it('cite standards, and no document that is not published', () => {
    const citations = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => unpublished.test(line) || (section.test(line) && !standard.test(line)))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(citations).toEqual([]);
  });
});
