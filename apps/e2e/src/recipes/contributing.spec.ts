import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const DIRECTORY = 'apps/e2e/src/recipes';
const contributing = readFileSync('CONTRIBUTING.md', 'utf8');

describe('CONTRIBUTING.md', () => {
  it.each(readdirSync(DIRECTORY).filter((file) => file.endsWith('.module.ts')))(
    'has the recipe %s as it is tested here',
    (file) => {
      expect(contributing).toContain(`\`\`\`ts\n${readFileSync(`${DIRECTORY}/${file}`, 'utf8')}\`\`\``);
    },
  );
});
