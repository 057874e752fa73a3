// Reports the public surface of each entry of the packages, from the types that are built: packages/*/api/*.api.md.
// Without arguments it fails if a report differs from its file. `--update` writes the files.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const ROOT = join(import.meta.dirname, '..');
const UPDATE = process.argv.includes('--update');
const TEMPORARY = join(ROOT, 'node_modules/.cache/api-report');

const COMPILER = {
  extends: join(ROOT, 'tsconfig.base.json'),
  compilerOptions: { customConditions: [], paths: {}, noUnusedLocals: false, noUnusedParameters: false },
};

/** The entries of a package: the name of the report, and the file with the types. */
function entriesOf(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, conditions]) => conditions.import !== undefined)
    .map(([entry, conditions]) => ({
      name: [basename(folder), ...entry.split('/').slice(1)].join('-'),
      types: join(folder, conditions.import.types),
    }));
}

function configOf(folder, { name, types }) {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { ...COMPILER, files: [types] } },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: join(folder, 'api'),
        reportTempFolder: TEMPORARY,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
}

const changed = [];
// A program, such as kit-auth-cli, has no entries.
const packages = readdirSync(join(ROOT, 'packages'))
  .map((name) => join(ROOT, 'packages', name))
  .filter((folder) => entriesOf(folder).length > 0);
let count = 0;
mkdirSync(TEMPORARY, { recursive: true });
for (const folder of packages) {
  const reports = join(folder, 'api');
  if (UPDATE) {
    rmSync(reports, { recursive: true, force: true });
    mkdirSync(reports);
  }
  const configs = entriesOf(folder).map((entry) => configOf(folder, entry));
  const compilerState = CompilerState.create(configs[0], {
    additionalEntryPoints: configs.map((config) => config.mainEntryPointFilePath),
  });
  for (const config of configs) {
    const { apiReportChanged, succeeded } = Extractor.invoke(config, {
      compilerState,
      localBuild: UPDATE,
      messageCallback: (message) => {
        message.handled = message.logLevel !== 'error';
      },
    });
    count++;
    if (!UPDATE && (apiReportChanged || !succeeded)) changed.push(config.reportFilePath);
  }
  const expected = configs.map((config) => basename(config.reportFilePath));
  const found = existsSync(reports) ? readdirSync(reports) : [];
  changed.push(...found.filter((file) => !expected.includes(file)).map((file) => join(reports, file)));
}
for (const file of changed) console.error(`The public surface differs from ${file}`);
if (changed.length > 0) {
  console.error(
    'If the change is intended, add it to CHANGELOG.md and run: node .ci/api-report.mjs --update',
  );
}
console.log(`${count} entries of ${packages.length} packages, ${changed.length} changed`);
process.exit(changed.length > 0 ? 1 : 0);
