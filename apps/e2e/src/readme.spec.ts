import { readdirSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode, AuthException, kitAuthConfig } from 'kit-auth';
import { environmentName } from '../../../packages/kit-auth/src/config/kit-auth.config.js';
import { OPTION_TABLE } from '../../../packages/kit-auth/src/config/option-table.js';
import { resolveOptions } from '../../../packages/kit-auth/src/config/resolve-options.js';

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

describe('the README', () => {
  it('has a row for every error code, with its name and status', () => {
    const codes = Object.values(AuthErrorCode).filter((code) => typeof code === 'number');
    expect(tableOf('Errors').map(([code, name, status]) => [Number(code), name, Number(status)])).toEqual(
      codes.map((code) => [code, AuthErrorCode[code], new AuthException(code).getStatus()]),
    );
  });

  it('has a row for every option, with its environment variable and default', () => {
    const rows = tableOf('Configuration').map(([key, variable, fallback]) => [
      key!.split(' ')[0],
      variable,
      fallback,
    ]);
    const inWords: Record<string, string> = {
      tokenPrefix: "'Bearer '",
      whiteList: 'none',
      'jwt.secret': 'a placeholder',
      'password.concurrency': 'cores minus one',
      'login.throttle.limiter': 'in memory',
    };
    expect(rows).toEqual(
      OPTION_TABLE.map(({ key, kind, fallback }) => [
        key,
        kind === 'function' ? 'none' : environmentName(key),
        inWords[key] ?? String(fallback),
      ]),
    );
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
      OPTION_TABLE.filter(({ kind }) => kind !== 'function').map(({ key }) => environmentName(key)),
    );
  });

  it('has the defaults', () => {
    const withValue = lines.filter((line) => !/=$|^KIT_AUTH_WHITE_LIST=/.test(line)).join('\n');
    const before = { ...process.env };
    try {
      Object.assign(process.env, parseEnv(withValue));
      const { settings, problems, warnings } = resolveOptions(kitAuthConfig());
      expect([problems, warnings]).toEqual([[], []]);
      expect(settings).toEqual(resolveOptions({}).settings);
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
