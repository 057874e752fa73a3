import { describe, expect, it } from '@jest/globals';
import { builtApp } from 'test-support';
import { entryFileOf } from './entry-file.js';
import { findApplication } from './find-application.js';

const MODULE = { 'dist/app.module.js': '' };

function entryOf(files: Record<string, string>) {
  return entryFileOf(findApplication(builtApp({ ...MODULE, ...files })));
}

const manifest = (content: object) => JSON.stringify({ type: 'module', ...content });

describe('the entry file', () => {
  it.each<[string, Record<string, string>, string]>([
    ['the default of Nest', {}, 'dist/main.js'],
    ['nest-cli.json', { 'nest-cli.json': '{ "entryFile": "server" }' }, 'dist/server.js'],
    [
      'nest-cli.json, with files below the source root',
      { 'nest-cli.json': '{ "entryFile": "server", "sourceRoot": "api" }' },
      'dist/api/server.js',
    ],
    [
      'the script start:prod',
      { 'package.json': manifest({ scripts: { 'start:prod': 'node --import tsx dist/server' } }) },
      'dist/server.js',
    ],
    [
      'the script start',
      { 'package.json': manifest({ scripts: { start: 'NODE_ENV=production node ./dist/api/server.js' } }) },
      'dist/api/server.js',
    ],
    ['"main" of package.json', { 'package.json': manifest({ main: 'dist/server.js' }) }, 'dist/server.js'],
  ])('is named by %s', (_what, files, path) => {
    const all = { 'dist/main.js': 'stale', ...files, [path]: 'started' };
    expect(entryOf(all)).toMatchObject({ shown: path, source: 'started' });
  });

  it('is not that of another application of a monorepo', () => {
    const found = entryOf({
      'package.json': manifest({ scripts: { 'start:prod': 'node dist/other' } }),
      'nest-cli.json': '{ "monorepo": true }',
      'dist/other.js': 'other',
      'dist/main.js': 'started',
    });
    expect(found).toMatchObject({ shown: 'dist/main.js', source: 'started' });
  });

  it('is the default where the file that is named does not exist', () => {
    const found = entryOf({ 'nest-cli.json': '{ "entryFile": "server" }', 'dist/main.js': 'started' });
    expect(found).toEqual({ shown: 'dist/main.js', namedBy: undefined, source: 'started' });
  });

  it('is known by its name where it does not exist', () => {
    expect(entryOf({ 'nest-cli.json': '{ "entryFile": "server" }' })).toEqual({
      shown: 'dist/server.js',
      namedBy: 'nest-cli.json',
      source: undefined,
    });
    expect(entryOf({})).toEqual({ shown: 'dist/main.js', namedBy: undefined, source: undefined });
  });
});
