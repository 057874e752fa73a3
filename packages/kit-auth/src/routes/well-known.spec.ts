import { describe, expect, it } from '@jest/globals';
import { ApplicationConfig, type ModulesContainer } from '@nestjs/core';
import { WellKnownController } from '../endpoints/well-known.js';
import { excludeWellKnown } from './well-known.js';

@WellKnownController('jwks.json')
class KeysController {}
class OtherController {}

const modulesOf = (...types: object[]) =>
  new Map([
    ['other', { controllers: new Map() }],
    ['own', { controllers: new Map(types.map((metatype) => [metatype, { metatype }])) }],
  ]) as unknown as ModulesContainer;

describe('a controller below /.well-known/', () => {
  it('is excluded from the global prefix, once and beside what the application excludes', () => {
    const config = new ApplicationConfig();
    const health = { path: '/health', pathRegex: /^\/health/, requestMethod: 0 };
    config.setGlobalPrefixOptions({ exclude: [health] });
    const modules = modulesOf(OtherController, KeysController);
    excludeWellKnown(modules, config);
    excludeWellKnown(modules, config);
    const { exclude = [] } = config.getGlobalPrefixOptions();
    expect(exclude.map(({ path }) => path)).toEqual(['/health', '/.well-known/jwks.json']);
    const isExcluded = (path: string) => exclude[1]?.pathRegex.test(path);
    expect(['/.well-known/jwks.json', '/.well-known/JWKS.json/a'].map(isExcluded)).toEqual([true, true]);
    expect(['/.well-known/jwks.jsonx', '/.well-known/jwksxjson'].map(isExcluded)).toEqual([false, false]);
  });

  it('is the only reason to change the options of the prefix', () => {
    const config = new ApplicationConfig();
    const options = config.getGlobalPrefixOptions();
    excludeWellKnown(modulesOf(OtherController), config);
    expect(config.getGlobalPrefixOptions()).toBe(options);
  });
});
