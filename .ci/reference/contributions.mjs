// The values that the modules of the packages provide, such as their endpoints and reasons.
import { register } from 'node:module';
import { resolve } from 'node:path';
import { files, NOT_PUBLISHED } from '../files.mjs';

register('../typescript/hooks.mjs', import.meta.url);

/** A source file as a module. */
export const source = (file) => import(resolve(file));

const provided = [];
const depthOf = (file) => file.split('/').length;
for (const file of files('packages/*.module.ts', NOT_PUBLISHED).sort((a, b) => depthOf(a) - depthOf(b))) {
  for (const member of Object.values(await source(file))) {
    const providers = typeof member === 'function' ? (Reflect.getMetadata('providers', member) ?? []) : [];
    provided.push(...providers.map(({ provide, useValue }) => ({ file, provide, value: useValue })));
  }
}

/** The values under an injection token, with their files. Those of the main module of a package are first. */
export const contributionsTo = (token) => provided.filter(({ provide }) => provide === token);
