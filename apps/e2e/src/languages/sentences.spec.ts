import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { de, en } from 'kit-auth-languages';

const ENTRIES = readdirSync('packages').flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as {
    exports: object;
  };
  return Object.keys(exports)
    .filter((entry) => entry === '.' || (name === 'kit-auth' && entry === './store'))
    .map((entry) => name + entry.slice(1));
});

interface Declaration {
  readonly provide?: unknown;
  readonly useValue?: Readonly<Record<string, readonly string[]>>;
}

/** What the modules of an entry declare with `declareReasons()`, as keys of catalogs. */
async function reasonsOf(entry: string): Promise<string[]> {
  const modules = Object.values((await import(entry)) as object).filter((it) => typeof it === 'function');
  const providers = modules.flatMap((it) => (Reflect.getMetadata('providers', it) ?? []) as Declaration[]);
  return providers
    .filter(({ provide }) => provide === Symbol.for('kit-auth.reasons'))
    .flatMap(({ useValue }) =>
      Object.entries(useValue ?? {}).flatMap(([code, reasons]) =>
        reasons.map((reason) => `${code}.${reason}`),
      ),
    );
}

it('the reasons of all packages have a sentence, and each sentence has a reason', async () => {
  const declared = new Set<string>();
  for (const entry of ENTRIES) {
    (await reasonsOf(entry)).forEach((key) => declared.add(key)); // Jest cannot load them at the same time
  }
  const withReason = (catalog: object) => Object.keys(catalog).filter((key) => /^\d+\./.test(key));

  expect([...declared].sort()).toEqual(withReason(en).sort());
  expect([...declared].sort()).toEqual(withReason(de).sort());
});
