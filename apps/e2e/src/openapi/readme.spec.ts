import { readdirSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode, AuthException, kitAuthConfig } from 'kit-auth';
import { Option } from 'kit-auth/feature';
import { adminOptions } from '../../../../packages/kit-auth-admin/src/admin.options.js';
import { sessionOptions } from '../../../../packages/kit-auth-session/src/session.options.js';
import { kitAuthOptions } from '../../../../packages/kit-auth/src/config/kit-auth.options.js';

/** The sections of a generated reference: the heading of each, and the members of its list. */
function sectionsOf(text: string): { title: string; facts: Record<string, string> }[] {
  return text
    .split(/^### /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n')[0]!.replaceAll('`', ''),
      facts: Object.fromEntries(
        [...section.matchAll(/^- ([A-Z][^:]+): (.*)$/gm)].map(([, name, value]) => [
          name!,
          value!.replaceAll('`', ''),
        ]),
      ),
    }));
}

describe('the reference', () => {
  const configuration = readFileSync('docs/reference/configuration.md', 'utf8');

  it('has a section for every error code, with its name and status', () => {
    const codes = Object.values(AuthErrorCode).filter((code) => typeof code === 'number');
    const errors = sectionsOf(readFileSync('docs/reference/errors.md', 'utf8'));
    expect(errors.map(({ title, facts }) => [title, Number(facts['Status'])])).toEqual(
      codes.map((code) => [`${code} ${AuthErrorCode[code]}`, new AuthException(code).getStatus()]),
    );
  });

  it.each([kitAuthOptions, sessionOptions, adminOptions])(
    'has the options that there are, with their defaults and variables: $name',
    ({ name, rows }) => {
      const [, part] = configuration.split(`<!-- options of ${name}: reference -->`);
      const options = sectionsOf(part!.split('<!-- end of options -->')[0]!);
      expect(options.map(({ title }) => title)).toEqual(rows.map(({ key }) => key.replace('kit.auth.', '')));
      rows.forEach(({ key, node, variable, isInEnvironment }, i) => {
        const { Default: byDefault, 'Environment variable': named } = options[i]!.facts;
        expect([key, named]).toEqual([key, isInEnvironment ? variable : 'none']);
        const value: unknown = node instanceof Option ? node.default : true;
        // Empty lists, functions and what depends on the machine are described in words.
        if (Array.isArray(value) && value.length > 0) {
          expect([key, byDefault]).toEqual([key, value.join(', ')]);
        } else if (
          ['string', 'number', 'boolean'].includes(typeof value) &&
          byDefault !== 'cores minus one'
        ) {
          expect([key, byDefault]).toEqual([key, typeof value === 'string' ? `'${value}'` : String(value)]);
        } else {
          expect([key, byDefault]).toEqual([key, expect.stringMatching(/^[a-z ]+$/)]);
        }
      });
    },
  );
});

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

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
    const withValue = lines.filter((line) => !/=$|^KIT_AUTH_(?:WHITE_LIST|OPTIONAL)=/.test(line)).join('\n');
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
