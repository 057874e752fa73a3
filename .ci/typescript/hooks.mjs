// Loads the TypeScript sources of our packages and of the demo, compiled as for the tests.
import { fileURLToPath } from 'node:url';
import { compile } from '../compile.mjs';

/** Sources import `./x.js`, which is `./x.ts` until it is built. */
export async function resolve(specifier, context, next) {
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
