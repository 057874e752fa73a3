import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { choose } from './choices.js';
import type { Surroundings } from './surroundings.js';

const NEW: Surroundings = {
  typeOrmIn: undefined,
  isTypeOrmInRoot: false,
  loadsEntities: false,
  otherOrm: undefined,
  otherAuthentication: undefined,
};

/** Behind each, the cursor moves to its place. */
const PROMPTS = ['[1] \u001b[5G', '[none] \u001b[8G'];

/** Answers questions in a terminal, one after the other. */
async function answers(typed: string[], surroundings: Partial<Surroundings> = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const rest = [...typed];
  let shown = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown += chunk.toString();
      if (PROMPTS.some((prompt) => shown.endsWith(prompt))) {
        stdin.write(`${rest.shift()}\r`);
      }
      done();
    },
  });
  const application = { current: undefined, surroundings: { ...NEW, ...surroundings } };
  const choices = await choose({ options: {}, stdin, stderr }, application, true);
  expect(rest).toEqual([]);
  return { choices, shown };
}

describe('the questions of kit-auth init', () => {
  it('have defaults', async () => {
    const { choices, shown } = await answers(['', '', '', '']);
    expect(choices).toEqual({
      implementation: 'sessions',
      database: 'sqlite',
      protect: 'all',
      extras: [],
    });
    expect(shown).toContain('Which tokens?\n  1. sessions: they end at once');
  });

  it('are answered with a number or a name', async () => {
    const { choices, shown } = await answers(['7', 'jwt', ' 2 ', 'decorated', 'admin, kit-auth-browser']);
    expect(choices).toEqual({
      implementation: 'jwt',
      database: 'postgres',
      protect: 'decorated',
      extras: ['admin', 'browser'],
    });
    expect(shown.match(/Type a number from 1 to \d\./g)).toEqual(['Type a number from 1 to 2.']);
  });

  it('are asked again after packages that do not fit: refresh tokens are for JWTs', async () => {
    const { choices, shown } = await answers(['', '', '', 'refresh', 'refrsh', 'none']);
    expect(shown).toContain(
      'kit-auth-refresh is for JWTs: sessions have no refresh tokens. Pass --jwt, or leave it out.\n',
    );
    expect(shown).toContain('There is no package refrsh.');
    expect(choices).toMatchObject({ implementation: 'sessions', extras: [] });
    const jwt = await answers(['2', '', '', 'refresh']);
    expect(jwt.choices).toMatchObject({ implementation: 'jwt', extras: ['refresh'] });
  });
});
