// An Nx plugin (see nx.json): gives each folder of packages/ these targets. `targetDefaults` in nx.json defines them.
// A package without specs has no `test` target.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

function targetsOf(root) {
  const hasSpecs = readdirSync(root, { recursive: true }).some((file) => file.endsWith('.spec.ts'));
  return { build: {}, ...(hasSpecs && { test: {} }) };
}

export const createNodesV2 = [
  'packages/*/package.json',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => {
      const root = dirname(file);
      return [file, { projects: { [root]: { targets: targetsOf(join(workspaceRoot, root)) } } }];
    }),
];
