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

  it('builds the package of its guide: the blocks of the page are the tested file', () => {
    const page = readFileSync(`${GUIDES}/extend/package.md`, 'utf8');
    const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
    expect(blocks.join('\n')).toBe(readFileSync(`${DIRECTORY}/pin/kit-auth-pin.module.ts`, 'utf8'));
  });
});
