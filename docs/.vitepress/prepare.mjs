// Writes the pages that are not committed: copies of the documents outside of docs/, and the API reference.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copies, docs, root } from './pages.mjs';

for (const [page, source] of copies) {
  mkdirSync(dirname(join(docs, page)), { recursive: true });
  cpSync(join(root, source), join(docs, page));
}

// TypeDoc needs what the packages import.
if (!existsSync(join(root, 'node_modules'))) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' });
}
const { writeApi } = await import('./api.mjs');
await writeApi();
