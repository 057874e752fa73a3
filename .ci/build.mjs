// Builds packages and the demo, all in one pass: node .ci/build.mjs packages/* apps/demo
// ES modules come into dist/esm, CommonJS into dist/cjs. Programs (kit-auth-cli and the demo) have ES modules only.
// docs/decisions/0002-two-builds-one-copy.md says why, and which of the two an application loads.
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const { options: base } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
);
/** `npm run typecheck` checks the types. */
const OPTIONS = { ...base, noEmit: false, noCheck: true, stripInternal: true, rootDir: ROOT };

/** Declarations that need those of Node, which an application with `types: []` does not load. TypeScript drops the reference. */
const OF_NODE = /['"]node:|\bBuffer\b|\bNodeJS\./;
const NODE = '/// <reference types="node" />\n';

const projects = process.argv.slice(2).map((path) => {
  const folder = resolve(path);
  const { bin, exports, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const esm = join(folder, bin || exports ? 'dist/esm' : 'dist');
  return {
    folder,
    bin,
    exports,
    source: join(folder, 'src'),
    esm,
    cjs: join(folder, 'dist/cjs'),
    isLibrary: main !== undefined,
  };
});
projects.forEach(({ folder }) => rmSync(join(folder, 'dist'), { recursive: true, force: true }));
writeModules();
for (const project of projects) {
  if (project.isLibrary) {
    writeCommonJs(project);
    await bundle(project);
  }
  // npm makes programs executable when it installs them. Whoever unpacks a tarball does not.
  Object.values(project.bin ?? {}).forEach((program) => chmodSync(join(project.folder, program), 0o755));
}

/** One program of all sources: what they share is read once. */
function writeModules() {
  const sources = projects
    .flatMap(({ source }) => filesIn(source))
    .filter((file) => /(?<!\.spec)\.ts$/.test(file));
  const outDir = join(ROOT, 'dist'); // nothing is written there
  const program = ts.createProgram(sources, { ...OPTIONS, outDir, declaration: true, sourceMap: true });
  for (const file of program.getSourceFiles()) {
    const project = projects.find(({ source }) => file.fileName.startsWith(`${source}/`));
    if (project !== undefined) {
      const { diagnostics } = program.emit(file, (path, text) => {
        const target = join(project.esm, relative(join(outDir, relative(ROOT, project.source)), path));
        if (path.endsWith('.map')) {
          const sources = [relative(dirname(target), file.fileName)];
          ts.sys.writeFile(target, JSON.stringify({ ...JSON.parse(text), sources }));
        } else if (project.isLibrary || path.endsWith('.js')) {
          ts.sys.writeFile(target, path.endsWith('.d.ts') && OF_NODE.test(text) ? `${NODE}${text}` : text);
        }
      });
      // TypeScript leaves out declarations that it cannot write.
      if (diagnostics.length > 0) {
        throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, '\n'));
      }
    }
  }
}

/** Also turns import() into require(). Source maps come with the modules that Node loads. */
function writeCommonJs({ source, esm, cjs }) {
  cpSync(esm, cjs, { recursive: true, filter: (file) => !/\.js(\.map)?$/.test(file) });
  const compilerOptions = { ...OPTIONS, module: ts.ModuleKind.CommonJS };
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
async function bundle({ folder, exports, esm }) {
  const entries = Object.values(exports)
    .flatMap((conditions) => conditions.import?.default ?? [])
    .map((entry) => join(folder, entry));
  // A file that imports nothing stays as it is: the client for browsers is served alone, so it must not load a chunk.
  const importing = entries.filter((entry) => /^(import|export .* from) /m.test(readFileSync(entry, 'utf8')));
  const compiled = filesIn(esm).filter((file) => /\.js(\.map)?$/.test(file));
  await build({
    entryPoints: importing,
    outdir: esm,
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
  for (const file of compiled) {
    if (!entries.includes(file.replace(/\.map$/, ''))) {
      rmSync(file);
    }
  }
  filesIn(esm)
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
