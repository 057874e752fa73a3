/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { project } from '../../jest.config';

// The specs of the core as `npm test` runs them, with mutants in its source, and a runner that goes through them.
const kernel = project('kit-auth', 'packages/kit-auth') as Config & {
  transform: Record<string, [string, object]>;
};
const SOURCES = '\\.ts$';
const [transformer, options] = kernel.transform[SOURCES];

const HERE = `${process.cwd()}/.ci/mutation`;

export default {
  ...kernel,
  rootDir: `${process.cwd()}/packages/kit-auth`,
  runner: `${HERE}/runner.mjs`,
  testEnvironment: `${HERE}/environment.mjs`,
  transform: { [SOURCES]: [`${HERE}/transformer.mjs`, { transformer, options }] },
  reporters: [],
};
