// Writes the pages that are not committed: copies of the documents outside of docs/, and the API reference.
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copies, docs, root } from './pages.mjs';

for (const [page, source] of copies) {
  mkdirSync(dirname(join(docs, page)), { recursive: true });
  cpSync(join(root, source), join(docs, page));
}
