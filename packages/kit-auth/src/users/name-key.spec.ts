import { expect, it } from '@jest/globals';
import { nameKey } from './name-key.js';

it.each([
  ['ada', ['Ada', 'ADA', ' ada\t', '\u00a0ada', '\uff41da']],
  ['zoé', ['Zoe\u0301', 'ZOÉ']],
  [
    'grete@xn--bcher-kva.example',
    ['Grete@Bücher.example', 'grete@BU\u0308CHER。example ', 'GRETE@XN--BCHER-KVA.EXAMPLE'],
  ],
  ['not@an@address', ['Not@an@Address']],
])('is %j for every spelling', (key, spellings) => {
  expect(spellings.map(nameKey)).toEqual(spellings.map(() => key));
});

it('tells names apart that people do', () => {
  const names = ['ada', 'adá', 'a da', 'adа' /* Cyrillic */, 'ada@x.example', 'ada@y.example', 'a.da'];
  expect(new Set(names.map(nameKey)).size).toBe(names.length);
});

it('is none for a name that gets too long for its column', () => {
  expect(['x'.repeat(255), '\ufdfa'.repeat(255)].map((name) => nameKey(name)?.length)).toEqual([
    255,
    undefined,
  ]);
});
