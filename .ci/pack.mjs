// Builds and packs the packages, once for the same sources. `node .ci/pack.mjs` prints the folder of the tarballs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const INPUTS = ['packages', 'tsconfig.base.json', 'package*.json', '.ci/build.mjs'];
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
  for (const old of readdirSync(CACHE).filter((name) => name < yesterday)) {
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
  for (const file of files.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path)))) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The folder with a tarball of every package, as the sources are now. */
export function packedPackages() {
  return cached(`tarballs-${hashOf(process.version, INPUTS)}`, (folder) => {
    run('npm', ['run', '--silent', 'build']);
    const published = readdirSync(join(ROOT, 'packages'))
      .map((name) => join(ROOT, 'packages', name))
      .filter((path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).private !== true);
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, ...published]);
    readdirSync(folder).forEach((file) => checkContent(join(folder, file)));
  });
}

/** No sources and no specs, also not in source maps, and where the package comes from. */
function checkContent(tarball) {
  const read = (...args) =>
    execFileSync('tar', ['-xzOf', tarball, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const { name, repository, bugs, homepage } = JSON.parse(read('package/package.json'));
  const content = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const foreign = content.filter((file) => /\.spec\.|\/src\/|\.api\.md$/.test(file));
  if (foreign.length > 0) {
    throw new Error(`${tarball} contains ${foreign}`);
  }
  if (
    content.some((file) => file.endsWith('.map')) &&
    read('--wildcards', '*.map').includes('"sourcesContent"')
  ) {
    throw new Error(`${tarball} has source maps with sources`);
  }
  if (repository?.directory !== `packages/${name}` || !bugs?.url || !homepage?.includes(name)) {
    throw new Error(`${name}: package.json lacks its repository, directory, bugs or homepage`);
  }
  console.error(`${name}: ${Math.ceil(statSync(tarball).size / 1000)} kB`);
}

/** Standard output is for the result. */
function run(command, args) {
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
}

if (process.argv[1] === import.meta.filename) {
  console.log(packedPackages());
}
