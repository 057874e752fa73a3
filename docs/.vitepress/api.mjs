// Writes the API reference with TypeDoc: one page for each entry of each package, from the sources.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { docs, root } from './pages.mjs';

/** The names of the entries by their source files, those of the core first. */
const entries = new Map(
  readdirSync(join(root, 'packages')).flatMap((name) => {
    const folder = join(root, 'packages', name);
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.entries(exports)
      .map(([entry, target]) => [entry, target['@kit-auth/source']])
      .filter(([, source]) => source?.endsWith('.ts'))
      .map(([entry, source]) => [join(folder, source), join(name, entry)]);
  }),
);

export async function writeApi() {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    name: 'API reference',
    entryPoints: [...entries.keys()],
    sortEntryPoints: false,
    tsconfig: join(docs, 'tsconfig.json'),
    skipErrorChecking: true, // the compiler checks the packages anyway
    out: join(docs, 'reference/api'),
    router: 'module',
    useCustomAnchors: true,
    anchorPrefix: 'api-',
    entryFileName: 'index',
    readme: 'none',
    disableSources: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    excludePrivate: true,
    excludeInternal: true,
    excludeExternals: true,
    parametersFormat: 'table',
    logLevel: 'Warn',
  });
  const project = await app.convert();
  for (const module of project?.children ?? []) {
    module.name = entries.get(project.getSymbolIdFromReflection(module)?.fileName) ?? module.name;
  }
  if (project !== undefined) {
    app.validate(project);
    await app.generateOutputs(project);
  }
  if (app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error('TypeDoc has found problems in the doc comments.');
  }
}
