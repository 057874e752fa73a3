import bcrypt from 'bcrypt';
import { PASSWORD, PASSWORD_HASH } from '../peers/kit-auth.js';

/** Compares passwords for a while, so many at once, and says how many a second. */
const [concurrency = 1, milliseconds = 1000] = process.argv.slice(2).map(Number);
const begin = performance.now();
let count = 0;

async function compareOnAndOn(): Promise<void> {
  while (performance.now() - begin < milliseconds) {
    await bcrypt.compare(PASSWORD, PASSWORD_HASH);
    count++;
  }
}

await Promise.all(Array.from({ length: concurrency }, compareOnAndOn));
process.send?.(count / ((performance.now() - begin) / 1000), () => process.exit());
