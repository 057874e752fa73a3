// Loads the TypeScript sources of our packages and of the demo, compiled as for the tests.
import { fileURLToPath } from 'node:url';
import { compile } from '../compile.mjs';

/** Sources import `./x.js`, which is `./x.ts` until it is built. Clients are for browsers, which run no TypeScript. */
export async function resolve(specifier, context, next) {
  if (specifier.endsWith('/client')) {
    const conditions = context.conditions.filter((name) => name !== '@kit-auth/source');
    return next(specifier, { ...context, conditions });
  }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) {
    return next(url, context);
  }
  const code = await compile(fileURLToPath(url));
  return { format: 'module', source: code, shortCircuit: true };
}
