import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const DIRECTORY = 'apps/e2e/src/recipes';
const GUIDES = 'docs/guides';
const guides = readdirSync(GUIDES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => readFileSync(`${GUIDES}/${file}`, 'utf8'))
  .join();

describe('the guides', () => {
  it.each(readdirSync(DIRECTORY).filter((file) => file.endsWith('.module.ts')))(
    'have the recipe %s as it is tested here',
    (file) => {
      expect(guides).toContain(`\`\`\`ts\n${readFileSync(`${DIRECTORY}/${file}`, 'utf8')}\`\`\``);
    },
  );
});
