import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sourceApp } from 'test-support';

describe('kit-auth-cli where kit-auth is not installed', () => {
  /** A folder with the built package and its dependencies. */
  function alone(): { cwd: string; program: string } {
    const cwd = sourceApp({
      'package.json': '{ "dependencies": { "@nestjs/core": "^12.0.0" } }',
      'src/app.module.ts':
        "import { Module } from '@nestjs/common';\n@Module({})\nexport class AppModule {}\n",
      'src/main.ts': "import { NestFactory } from '@nestjs/core';\n",
    });
    const folder = join(cwd, 'node_modules/kit-auth-cli');
    cpSync(`${process.cwd()}/packages/kit-auth-cli/dist`, join(folder, 'dist'), { recursive: true });
    cpSync(`${process.cwd()}/packages/kit-auth-cli/package.json`, join(folder, 'package.json'));
    for (const name of ['diff', 'package-manager-detector', 'semver', 'ts-morph']) {
      symlinkSync(`${process.cwd()}/node_modules/${name}`, join(cwd, 'node_modules', name));
    }
    return { cwd, program: join(folder, 'dist/esm/main.js') };
  }
  const start = (argv: string[]) => {
    const { cwd, program } = alone();
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], {
      cwd,
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  };

  it('adds it to the application', () => {
    const { code, stdout, stderr } = start(['init', '--yes', '--no-install']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Changed src/app.module.ts.');
    expect(start(['init', '--help']).stdout).toContain('Usage: kit-auth init [options]');
    expect(start(['init', '--jsn'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'kit-auth: There is no option --jsn.\n',
    });
  });

  it('says how to add it', () => {
    const { code, stdout, stderr } = start(['routes']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('`kit-auth init` adds kit-auth to an application.');
  });
});
