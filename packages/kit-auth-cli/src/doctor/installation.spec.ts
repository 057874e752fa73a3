import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hasTwoTypeOrms } from '../application/inspection.js';
import { Installation, type Manifest, packageRootOf } from '../application/installation.js';
import { checkCopies, checkVersions } from './installation.checks.js';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'kit-auth-doctor-')));
  writeFileSync(join(root, 'package.json'), '{ "name": "app" }');
});
afterEach(() => rmSync(root, { recursive: true }));

function install(path: string, version: string, manifest: Manifest = {}): void {
  const folder = join(root, 'node_modules', path);
  mkdirSync(folder, { recursive: true });
  const name = path.replace(/^.*node_modules\//, '');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, ...manifest }));
}

const CORE: Manifest = {
  engines: { node: '^20.19.0 || ^22.12.0 || >=24.0.0' },
  peerDependencies: {
    '@nestjs/common': '^11.0.0 || ^12.0.0',
    '@nestjs/core': '^11.0.0 || ^12.0.0',
    typeorm: '^0.3.20 || ^1.0.0',
  },
  peerDependenciesMeta: { typeorm: { optional: true } },
};
const JWT: Manifest = { peerDependencies: { 'kit-auth': '^0.1.0', '@nestjs/jwt': '^11.0.0 || ^12.0.0' } };

function installAll(): void {
  install('kit-auth', '0.1.0', CORE);
  install('kit-auth-cli', '0.1.0', { peerDependencies: { 'kit-auth': '^0.1.0' } });
  install('kit-auth-jwt', '0.1.4', JWT);
  install('@nestjs/common', '11.1.0');
  install('@nestjs/core', '11.1.0', { peerDependencies: { '@nestjs/common': '^11.0.0' } });
  install('@nestjs/jwt', '11.0.0');
  install('typeorm', '0.3.27');
}

describe('the versions of packages', () => {
  const check = (node = '20.19.0') => checkVersions(new Installation(root), node);

  it('are in the ranges of their peers', () => {
    installAll();
    expect(check()).toEqual([]);
  });

  it('name the package, the range and the command', () => {
    installAll();
    install('@nestjs/jwt', '10.2.0');
    install('typeorm', '0.2.45');
    expect(check()).toEqual([
      {
        level: 'problem',
        problem: 'kit-auth 0.1.0 needs typeorm ^0.3.20 || ^1.0.0. Installed is 0.2.45.',
        cure: 'npm install "typeorm@^0.3.20 || ^1.0.0"',
      },
      {
        level: 'problem',
        problem: 'kit-auth-jwt 0.1.4 needs @nestjs/jwt ^11.0.0 || ^12.0.0. Installed is 10.2.0.',
        cure: 'npm install @nestjs/jwt@11',
      },
    ]);
  });

  it('judge the version that the package itself loads', () => {
    installAll();
    install('kit-auth/node_modules/typeorm', '0.2.45');
    expect(check()).toMatchObject([{ problem: expect.stringContaining('Installed is 0.2.45') }]);
  });

  it.each(['20.18.0', '22.11.0', '23.1.0'])('refuse Node %s', (node) => {
    installAll();
    expect(check(node)).toMatchObject([
      { problem: `This is Node ${node}. The packages of kit-auth need ^20.19.0 || ^22.12.0 || >=24.0.0.` },
    ]);
  });

  it('say that kit-auth is not installed', () => {
    expect(check()).toMatchObject([
      { problem: `kit-auth is not installed in ${root}.`, cure: 'npm install kit-auth' },
    ]);
  });
});

describe('the copies of packages', () => {
  const check = () => checkCopies(new Installation(root));

  it('are one each', () => {
    installAll();
    expect(check()).toEqual([]);
    expect(hasTwoTypeOrms(new Installation(root))).toBe(false);
  });

  it('are named with their folders', () => {
    installAll();
    install('kit-auth/node_modules/typeorm', '1.1.1');
    install('kit-auth-jwt/node_modules/kit-auth', '0.1.0', CORE);
    expect(check()).toEqual([
      {
        level: 'problem',
        problem: expect.stringContaining(
          `the application loads 0.1.0 from ${root}/node_modules/kit-auth; ` +
            `kit-auth-jwt loads 0.1.0 from ${root}/node_modules/kit-auth-jwt/node_modules/kit-auth.`,
        ),
        cure: expect.stringContaining('npm ls kit-auth shows'),
      },
      {
        level: 'problem',
        problem: expect.stringContaining(
          `kit-auth loads 1.1.1 from ${root}/node_modules/kit-auth/node_modules/typeorm`,
        ),
        cure: expect.stringContaining('npm ls typeorm'),
      },
    ]);
  });

  it('are compared where @nestjs/typeorm loads another typeorm', () => {
    installAll();
    install('@nestjs/typeorm', '11.0.0', { peerDependencies: { typeorm: '^0.3.0' } });
    install('@nestjs/typeorm/node_modules/typeorm', '0.3.20');
    expect(check()).toMatchObject([{ problem: expect.stringContaining('@nestjs/typeorm loads 0.3.20') }]);
    expect(hasTwoTypeOrms(new Installation(root))).toBe(true);
  });

  it('are one behind symbolic links', () => {
    installAll();
    mkdirSync(join(root, 'packages/app'), { recursive: true });
    writeFileSync(join(root, 'packages/app/package.json'), '{}');
    const link = join(root, 'packages/app/node_modules/kit-auth');
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules/kit-auth'), link);
    expect(checkCopies(new Installation(join(root, 'packages/app')))).toEqual([]);
  });

  it.each([
    ['1.9.0', '1.9.0', 0],
    ['1.9.0', '1.8.0', 0],
    ['1.8.0', '1.9.0', 1],
    ['2.0.0', '1.9.0', 1],
  ])('of @opentelemetry/api: %s in the application and %s in kit-auth-otel', (own, other, count) => {
    installAll();
    install('kit-auth-otel', '0.1.0', { peerDependencies: { '@opentelemetry/api': '^1.8.0' } });
    install('@opentelemetry/api', own);
    install('kit-auth-otel/node_modules/@opentelemetry/api', other);
    expect(check()).toHaveLength(count);
  });

  it.each([
    ['pnpm-lock.yaml', 'pnpm why typeorm'],
    ['yarn.lock', 'yarn why typeorm'],
  ])('are explained by the package manager of %s', async (file, command) => {
    installAll();
    install('kit-auth/node_modules/typeorm', '1.1.1');
    writeFileSync(join(root, file), '');
    const installation = new Installation(root);
    const [copies] = checkCopies(installation, await installation.manager());
    expect(copies?.cure).toContain(`${command} shows`);
  });
});

describe('packageRootOf', () => {
  it('is the nearest folder with a package.json', () => {
    mkdirSync(join(root, 'dist/src'), { recursive: true });
    expect(packageRootOf(join(root, 'dist/src'))).toBe(root);
  });
});
