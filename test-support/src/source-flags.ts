/** Flags of Node with which a process runs TypeScript, and our packages from their sources, without a build. */
export const SOURCE_FLAGS = [
  '--conditions=@kit-auth/source',
  `--import=${process.cwd()}/.ci/typescript/register.mjs`,
] as const;
