// Loads the TypeScript sources of our packages and of the demo, compiled as for the tests.
import { fileURLToPath } from 'node:url';
import { compile } from '../compile.mjs';

const SOURCE = '@kit-auth/source';

/**
 * Sources import `./x.js`, which is `./x.ts` until it is built, and our packages, which have a condition for them. Clients are for
 * browsers, which run no TypeScript.
 */
export async function resolve(specifier, context, next) {
  const { conditions } = context;
  if (specifier.endsWith('/client')) {
    return next(specifier, { ...context, conditions: conditions.filter((name) => name !== SOURCE) });
  }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
  return next(specifier, { ...context, conditions: [...conditions, SOURCE] });
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) {
    return next(url, context);
  }
  const code = await compile(fileURLToPath(url));
  return { format: 'module', source: code, shortCircuit: true };
}
