/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

/** Nest 12 is ESM only, and so are we: Jest runs with --experimental-vm-modules (see nx.json). */
function project(
  displayName: string,
  directory: string,
  testMatch: string,
): NonNullable<Config['projects']>[number] {
  return {
    displayName,
    rootDir: `<rootDir>/${directory}`,
    testMatch: [`<rootDir>/${testMatch}`],
    testEnvironment: 'node',
    extensionsToTreatAsEsm: ['.ts'],
    setupFiles: ['reflect-metadata'],
    moduleNameMapper: {
      '^(\\.{1,2}/.*)\\.js$': '$1',
      '^(kit-auth(?:-\\w+)?)$': `${process.cwd()}/packages/$1/src/index.ts`,
      '^(kit-auth(?:-\\w+)?)/(openapi|typeorm|extend)$': `${process.cwd()}/packages/$1/src/$2.ts`,
      '^(kit-auth-session)/(redis)$': `${process.cwd()}/packages/$1/src/$2.ts`,
    },
    transform: {
      '\\.ts$': [
        '@swc/jest',
        {
          jsc: {
            target: 'es2022',
            parser: { syntax: 'typescript', decorators: true },
            transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          },
        },
      ],
    },
  };
}

export default {
  // Far above what a test takes, even on a machine that is busy with ten other things.
  testTimeout: 120_000,
  // The specs wait for processes, hashes and databases more than they compute.
  maxWorkers: '100%',
  projects: [
    project('kit-auth', 'packages/kit-auth', 'src/**/*.spec.ts'),
    project('kit-auth-jwt', 'packages/kit-auth-jwt', 'src/**/*.spec.ts'),
    project('kit-auth-session', 'packages/kit-auth-session', 'src/**/*.spec.ts'),
    project('e2e', 'apps/e2e', 'src/**/!(*.servers).spec.ts'),
    project('e2e-servers', 'apps/e2e', 'src/**/*.servers.spec.ts'),
  ],
} satisfies Config;
