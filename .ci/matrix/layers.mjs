// Scratch applications, cached as container images are: a list of commands, each of which continues with the folder that
// the commands before it have left.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cached, hashOf, packedPackages } from '../pack.mjs';

const NPM_SETTINGS = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_loglevel: 'error',
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
};

/**
 * The folder of the commands. The first one creates `app` in an empty folder, and the others run in `app`. The cache is
 * for today, and for the dependencies of our packages if they are installed. A command that fails is not cached.
 */
export function layer(commands) {
  const ours = commands.some((command) => command.includes('kit-auth'));
  const key = hashOf([process.version, commands], ours ? ['packages/*/package.json'] : undefined);
  return cached(`layer-${key}`, (folder) => {
    const [last] = commands.slice(-1);
    if (commands.length > 1) {
      copyLayer(commands.slice(0, -1), folder);
    }
    const env = { ...NPM_SETTINGS, npm_config_better_sqlite3_local_prebuilds: prebuilds() };
    run(withTarballs(last), commands.length > 1 ? join(folder, 'app') : folder, env);
  });
}

/**
 * `node_modules` by hard links: npm replaces files, and writes into one only.
 *
 * @param folder exists, and is empty
 */
export function copyLayer(commands, folder) {
  const from = join(layer(commands), 'app');
  const to = join(folder, 'app');
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    execFileSync('cp', [name === 'node_modules' ? '-al' : '-a', join(from, name), to]);
  }
  const written = 'node_modules/.package-lock.json';
  if (existsSync(join(to, written))) {
    rmSync(join(to, written));
    cpSync(join(from, written), join(to, written));
  }
}

/** Replaces our packages by those of the sources as they are now. The layer may have been made before a change. */
export function renewPackages(folder) {
  for (const [name, tarball] of Object.entries(tarballs())) {
    const target = join(folder, 'node_modules', name);
    if (existsSync(target)) {
      const old = readdirSync(target).filter((name) => name !== 'node_modules'); // dependencies that npm has put there
      old.forEach((name) => rmSync(join(target, name), { recursive: true }));
      execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
    }
  }
}

export function run(command, cwd, env = {}) {
  console.log(`$ ${command}`);
  execFileSync('bash', ['-euc', command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function tarballs() {
  const folder = packedPackages();
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file.replace(/-\d.*$/, ''), join(folder, file)]),
  );
}

/** `npm install kit-auth`, with the tarball of the package. */
function withTarballs(command) {
  const ours = tarballs();
  return command.replace(/(?<= )kit-auth(-[a-z]+)?(?= |$)/g, (name) => ours[name]);
}

/**
 * Where its binary cannot be downloaded, better-sqlite3 takes minutes to compile. This gives it the binary of the
 * repository, in the form that it would download; it takes it if the versions are the same.
 */
function prebuilds() {
  const source = join(import.meta.dirname, '../../node_modules/better-sqlite3');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { platform, arch, versions } = process;
  const name = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}`;
  return cached(`prebuilds-${name}`, (folder) => {
    const binary = 'build/Release/better_sqlite3.node';
    execFileSync('tar', ['-czf', join(folder, `${name}.tar.gz`), '-C', source, binary]);
  });
}
