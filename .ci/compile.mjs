import { readFile } from 'node:fs/promises';
import { transform } from '@swc/core';

const OPTIONS = JSON.parse(await readFile(new URL('swc.json', import.meta.url), 'utf8'));

/** A TypeScript file as JavaScript, compiled as for the tests. @param {string} file its path */
export async function compile(file) {
  const source = await readFile(file, 'utf8');
  return (await transform(source, { filename: file, swcrc: false, ...OPTIONS })).code;
}
