// Builds the package in the folder given: ES modules into dist/esm, CommonJS into dist/cjs.
// docs/decisions/0002-two-builds-one-copy.md says why, and which of the two an application loads.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const [, , root] = process.argv;
const { bin = {}, exports = {}, main } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [source, esm, cjs] = ['src', 'dist/esm', 'dist/cjs'].map((folder) => join(root, folder));

rmSync(join(root, 'dist'), { recursive: true, force: true });
// `npm run typecheck` checks the types of all packages at once.
const tsc = ['-p', join(root, 'tsconfig.build.json'), '--outDir', esm, '--noCheck'];
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...tsc], { stdio: 'inherit' });
// A package without `main` is a program, not a library: ES modules only.
if (main !== undefined) {
  writeCommonJs();
  await bundle(esm);
}
// npm makes programs executable when it installs them. Whoever unpacks a tarball does not.
Object.values(bin).forEach((program) => chmodSync(join(root, program), 0o755));

/** Also turns import() into require(). Source maps come with the modules that Node loads. */
function writeCommonJs() {
  cpSync(esm, cjs, { recursive: true, filter: (file) => !/\.js(\.map)?$/.test(file) });
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const compilerOptions = { ...options, module: ts.ModuleKind.CommonJS, sourceMap: false };
  for (const file of filesIn(esm).filter((file) => file.endsWith('.js'))) {
    const fileName = file.replace(esm, source).replace(/\.js$/, '.ts');
    const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { fileName, compilerOptions });
    writeFileSync(file.replace(esm, cjs), outputText);
  }
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
}

/**
 * Joins the modules of the library into one for each entry, and chunks for what entries share and `import()` loads. Node
 * takes 0.7 ms to load a module, and the core has more than a hundred. What tsc wrote is joined, because esbuild writes
 * no metadata of decorators.
 */
async function bundle(folder) {
  const entries = Object.values(exports).flatMap((conditions) => conditions.import?.default ?? []);
  // A file that imports nothing stays as it is: the client for browsers is served alone, so it must not load a chunk.
  const importing = entries.filter((entry) =>
    /^(import|export .* from) /m.test(readFileSync(join(root, entry), 'utf8')),
  );
  const compiled = filesIn(folder).filter((file) => /\.js(\.map)?$/.test(file));
  await build({
    entryPoints: importing.map((entry) => join(root, entry)),
    outdir: folder,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  const bundled = new Set(entries.map((entry) => resolve(root, entry)));
  for (const file of compiled) {
    if (!bundled.has(resolve(file.replace(/\.map$/, '')))) {
      rmSync(file);
    }
  }
  filesIn(folder)
    .filter((file) => file.endsWith('.js'))
    .forEach(keepNamesOfClassesOnly);
}

/**
 * Names of classes are parts of messages. Where esbuild keeps names, it also sets those of functions, each time that one is
 * made, which doubles the cost of a request. The replacement is as long as what it replaces, for the source map.
 */
function keepNamesOfClassesOnly(file) {
  const code = readFileSync(file, 'utf8');
  const [head, map = ''] = code.split(/^(?=\/\/# sourceMappingURL=)/m);
  const calls = /\b__name\((?!this, )/g;
  if (calls.test(head)) {
    const same = 'function __same(target) {\n  return target;\n}\n';
    writeFileSync(file, head.replace(calls, '__same(') + same + map);
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).map((file) => join(folder, file));
}
