import { spawnSync } from 'node:child_process';

/** The files that git knows. */
export const files = (...patterns) =>
  spawnSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');

/** A pattern for `files()`: leaves out the package that is only copied. */
export const NOT_PUBLISHED = ':!packages/kit-auth-hello';

/** Reports of api-extractor are no documents. */
export const documents = files('*.md', ':!*.api.md');
