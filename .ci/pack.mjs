// Builds and packs the packages, once for the same sources. `node .ci/pack.mjs` prints the folder of the tarballs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const INPUTS = ['packages', 'tsconfig*.json', 'nx.json', 'package*.json', '.ci/build-package.mjs'];
const DAY = 86_400_000;

/** Outside the repository, and safe to delete. Names begin with the day, and the next day has new ones. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kit-auth-matrix');

/** A folder of the cache. If it does not exist yet, `fill` gets an empty one, which is kept if it does not throw. */
export function cached(name, fill) {
  const folder = join(CACHE, `${dayOf(Date.now())}-${name}`);
  if (!existsSync(folder)) {
    const fresh = emptyFolder('fresh');
    try {
      fill(fresh);
      if (!existsSync(folder)) renameSync(fresh, folder); // another run may have been faster
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return folder;
}

/** A new folder on the file system of the cache, for the caller to delete. */
export function emptyFolder(name) {
  mkdirSync(CACHE, { recursive: true });
  const yesterday = dayOf(Date.now() - DAY); // stays: a run may have begun before midnight
  for (const old of readdirSync(CACHE).filter((it) => it < yesterday)) {
    rmSync(join(CACHE, old), { recursive: true, force: true });
  }
  return mkdtempSync(join(CACHE, `${dayOf(Date.now())}-${name}-`));
}

function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}

/** @param patterns files that git sees, or would see after `git add` */
export function hashOf(salt, patterns = []) {
  const hash = createHash('sha256').update(JSON.stringify(salt));
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  const files = patterns.length === 0 ? '' : execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\n').filter((it) => it !== '' && existsSync(join(ROOT, it)))) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The folder with a tarball of every package, as the sources are now. */
export function packedPackages() {
  return cached(`tarballs-${hashOf(process.version, INPUTS)}`, (folder) => {
    // All at once: each `prepack` would build the core again.
    run('npx', ['nx', 'run-many', '-t', 'build', '--projects=packages/*', '--output-style=static']);
    for (const name of readdirSync(join(ROOT, 'packages'))) {
      run('npm', [
        'pack',
        '--silent',
        '--ignore-scripts',
        '--pack-destination',
        folder,
        `./packages/${name}`,
      ]);
    }
    readdirSync(folder).forEach((file) => checkContent(join(folder, file)));
  });
}

/** No sources and no specs, and every file that `package.json` names. */
function checkContent(tarball) {
  const { exports, main, types } = JSON.parse(
    execFileSync('tar', ['-xzOf', tarball, 'package/package.json']),
  );
  const content = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const filesOf = (entry) =>
    typeof entry === 'string'
      ? [entry]
      : Object.entries(entry).flatMap(([key, it]) => (key === '@kit-auth/source' ? [] : filesOf(it)));
  const foreign = content.filter((file) => /\.spec\.|\/src\//.test(file));
  const missing = [main, types, ...filesOf(exports)].filter(
    (file) => !content.includes(`package/${file.replace(/^\.\//, '')}`),
  );
  if (foreign.length + missing.length > 0) {
    throw new Error(`${tarball} contains [${foreign}], and lacks [${missing}]`);
  }
}

/** Standard output is for the result. */
function run(command, args) {
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
}

if (process.argv[1] === import.meta.filename) {
  console.log(packedPackages());
}
