// Shows that the lock files are complete: they install on other systems too, and they name no registry.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { files } from './files.mjs';

const problems = [];

/** The folders whose node_modules the package at `path` can load from, as in the keys of a lock file. */
function lookUp(path) {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/')).concat('');
}

// npm silently leaves out platform packages that the registry does not have, and later does not add them back.
for (const file of files('*package-lock.json')) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  for (const [path, { optionalDependencies = {}, resolved = '' }] of Object.entries(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      if (!lookUp(path).some((folder) => join(folder, 'node_modules', name) in packages)) {
        problems.push(`${file} has no entry for ${name}, an optional dependency of ${path}`);
      }
    }
    if (resolved.includes('://')) {
      problems.push(`${file} names a registry for ${path}: ${resolved}`);
    }
  }
}

const SYSTEMS = {
  'darwin-arm64': ['--os=darwin', '--cpu=arm64'],
  'win32-x64-msvc': ['--os=win32', '--cpu=x64'],
  'linux-x64-musl': ['--os=linux', '--cpu=x64', '--libc=musl'],
};
const BINARIES = ['@swc/core-', '@nx/nx-', '@unrs/resolver-binding-'];

// In a copy without node_modules, so that npm lists all that it would install.
const copy = mkdtempSync(join(tmpdir(), 'lock-file-'));
try {
  for (const file of files('*package*.json')) {
    cpSync(file, join(copy, file));
  }
  for (const [system, flags] of Object.entries(SYSTEMS)) {
    const npm = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', ...flags], {
      cwd: copy,
      encoding: 'utf8',
    });
    if (npm.status !== 0) {
      problems.push(`npm ci fails on ${system}: ${npm.stderr}`);
      continue;
    }
    for (const binary of BINARIES) {
      if (!npm.stdout.includes(`add ${binary}${system} `)) {
        problems.push(`npm ci does not install ${binary}${system} there`);
      }
    }
  }
} finally {
  rmSync(copy, { recursive: true });
}

problems.forEach((problem) => console.error(problem));
console.log(`the lock files are ${problems.length === 0 ? 'complete' : 'not complete'}`);
process.exit(problems.length === 0 ? 0 : 1);
