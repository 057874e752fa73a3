// Joins sources into one module, without their types: a build takes a minute.
import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { compile } from '../compile.mjs';

const ROOT = join(import.meta.dirname, '../..');
const OPTIONS = { bundle: true, format: 'esm', platform: 'node', target: 'es2022', logLevel: 'warning' };
const FOUND = Symbol('found');

/**
 * What the benchmark imports of `kit-auth` and `kit-auth-jwt`.
 *
 * @param {string} checkout a folder with `packages`
 * @param {string} outfile in a folder whose `node_modules` has the dependencies
 */
export async function bundle(checkout, outfile) {
  const contents =
    "export { KitAuthModule, Public } from 'kit-auth'; export { KitAuthJwtModule } from 'kit-auth-jwt';";
  await build({ ...OPTIONS, stdin: { contents, resolveDir: ROOT }, outfile, plugins: [sourcesOf(checkout)] });
}

/** By esbuild, because tsc needs the libraries that the benchmark compares with. @returns the outfile */
export async function bundleBenchmark(file, outfile) {
  const entryPoints = [join(ROOT, 'apps/bench/src', file)];
  await build({ ...OPTIONS, entryPoints, outfile, packages: 'external' });
  return outfile;
}

function sourcesOf(checkout) {
  const packages = join(checkout, 'packages');
  return {
    name: 'sources',
    setup({ onLoad, onResolve, resolve: find }) {
      onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
        const source = resolve(resolveDir, path.replace(/\.js$/, '.ts'));
        return existsSync(source) ? { path: source } : undefined;
      });
      onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, pluginData }) => {
        if (pluginData === FOUND) {
          return undefined;
        }
        const [name, entry = 'index'] = path.split('/');
        const source = join(packages, name, 'src', `${entry}.ts`);
        if (existsSync(source)) {
          return { path: source };
        }
        // Dependencies of which a package has its own version.
        const [owner] = relative(packages, importer).split(sep);
        return existsSync(join(ROOT, 'packages', owner, 'node_modules', name))
          ? find(path, { resolveDir: join(ROOT, 'packages', owner), kind, pluginData: FOUND })
          : { path, external: true };
      });
      // Not by esbuild, which does not write the metadata of decorators.
      onLoad({ filter: /\.ts$/ }, async ({ path }) => ({ contents: await compile(path) }));
    },
  };
}
