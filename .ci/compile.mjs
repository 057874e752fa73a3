import { readFile } from 'node:fs/promises';
import { transform } from '@swc/core';

const OPTIONS = JSON.parse(await readFile(new URL('swc.json', import.meta.url), 'utf8'));

/**
 * A TypeScript file as JavaScript, compiled as for the tests.
 *
 * @param {string} file its path
 * @param {object} [format] of the output, see `jsc.minify.format` of swc
 */
export async function compile(file, format) {
  const source = await readFile(file, 'utf8');
  const jsc = format === undefined ? OPTIONS.jsc : { ...OPTIONS.jsc, minify: { format } };
  return (await transform(source, { filename: file, swcrc: false, jsc })).code;
}
