import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const DIRECTORY = 'apps/e2e/src/recipes';
const GUIDES = 'docs/guides';
const documents = ['CONTRIBUTING.md', ...readdirSync(GUIDES).map((file) => `${GUIDES}/${file}`)]
  .map((file) => readFileSync(file, 'utf8'))
  .join();

describe('CONTRIBUTING.md and the guides', () => {
  it.each(readdirSync(DIRECTORY).filter((file) => file.endsWith('.module.ts')))(
    'have the recipe %s as it is tested here',
    (file) => {
      expect(documents).toContain(`\`\`\`ts\n${readFileSync(`${DIRECTORY}/${file}`, 'utf8')}\`\`\``);
    },
  );
});
