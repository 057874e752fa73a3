/** @jest-config-loader esbuild-register */
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';
import swcOptions from './.ci/swc.json';

const fromExpress = createRequire(createRequire(`${process.cwd()}/`).resolve('express'));

/** Nest 12 and these packages are ESM only, so Jest runs with --experimental-vm-modules (see nx.json). */
export function project(
  displayName: string,
  directory: string,
  testMatch = 'src/**/*.spec.ts',
): NonNullable<Config['projects']>[number] {
  return {
    displayName,
    rootDir: `<rootDir>/${directory}`,
    testMatch: [`<rootDir>/${testMatch}`],
    testEnvironment: 'node',
    // Imports of our packages resolve to their sources, as with customConditions in tsconfig.base.json.
    testEnvironmentOptions: { customExportConditions: ['@kit-auth/source', 'node', 'node-addons'] },
    extensionsToTreatAsEsm: ['.ts'],
    globalSetup: `${process.cwd()}/.ci/jest/clients.mjs`,
    setupFiles: ['reflect-metadata'],
    moduleNameMapper: {
      '^(\\.{1,2}/.*)\\.js$': '$1',
      // Nest names providers with `uid`, which needs `Math.random()` as it is. Tests replace that, and share contexts.
      '^uid$': 'uid/secure',
      // Mercurius needs it to serve files. Jest on Node 20 cannot require its current version, which is an ES module.
      '^content-disposition$': fromExpress.resolve('content-disposition'),
      '^test-support$': `${process.cwd()}/test-support/src/index.ts`,
    },
    // Spec files share contexts, see docs/decisions/0025.
    runner: `${process.cwd()}/.ci/jest/group-runner.mjs`,
    transform: {
      '\\.spec\\.ts$': [`${process.cwd()}/.ci/jest/spec-transformer.mjs`, swcOptions],
      '\\.ts$': ['@swc/jest', swcOptions],
    },
  };
}

export default {
  // Far above what a test takes, even on a busy machine.
  testTimeout: 120_000,
  // Each worker loads everything once, so more of them cost more than they gain.
  maxWorkers: availableParallelism(),
  // On a busy machine, a worker that has nothing left to do takes longer than the default of 0.5 s to exit.
  workerGracefulExitTimeout: 10_000,
  projects: [
    // One project, so that all packages share contexts. One package alone: `npx nx test kit-auth-keys`.
    project('packages', 'packages', '*/src/**/*.spec.ts'),
    project('e2e', 'apps/e2e', 'src/**/!(*.servers|*.browser|*.built).spec.ts'),
    project('e2e-built', 'apps/e2e', 'src/**/*.built.spec.ts'),
    project('e2e-servers', 'apps/e2e', 'src/**/*.servers.spec.ts'),
    project('e2e-browser', 'apps/e2e', 'src/**/*.browser.spec.ts'),
  ],
} satisfies Config;
