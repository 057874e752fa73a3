import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const DIRECTORY = 'apps/e2e/src/testing';
const SPECS = readdirSync(DIRECTORY).filter((file) => file !== 'documents.spec.ts');
const documents = ['docs/guides/testing.md', 'docs/reference/testing.md'].map((file) =>
  readFileSync(file, 'utf8'),
);

describe('the documents', () => {
  it.each(SPECS)('have the spec file %s as it is run here', (file) => {
    const block = `\`\`\`ts\n${readFileSync(`${DIRECTORY}/${file}`, 'utf8')}\`\`\``;
    expect(documents.filter((text) => text.includes(block))).toHaveLength(1);
  });
});
