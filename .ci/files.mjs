import { spawnSync } from 'node:child_process';

/** The files that git knows. */
export const files = (...patterns) =>
  spawnSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');

/** Reports of api-extractor are no documents. */
export const documents = files('*.md', ':!*.api.md');
