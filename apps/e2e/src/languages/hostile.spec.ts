import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Query } from '@nestjs/common';
import { AuthErrorCode, AuthException, Public } from 'kit-auth';
import { de, en, KitAuthLanguagesModule } from 'kit-auth-languages';
import fc from 'fast-check';
import { BOTH, sharedTestApp } from 'test-support';

@Controller('v1/echo')
class EchoController {
  /** Puts what was sent wherever an exception takes something. */
  @Get()
  @Public()
  echo(@Query() { code, canary }: Record<string, string>): never {
    throw new AuthException(Number(code), {
      reason: canary,
      message: canary,
      missing: [canary as string],
      details: { canary, expiresAt: canary, count: canary, duration: canary, time: canary },
    });
  }
}

const CODES = Object.values(AuthErrorCode).filter((code) => typeof code === 'number');
const HOSTILE: [name: string, value: string, language: string][] = [
  ['many ranges', Array.from({ length: 2000 }, () => 'de').join(','), 'de'],
  ['a range behind 20 others', `${'fr,'.repeat(20)}de`, 'en'],
  ['a range behind 512 characters', `${'fr-aaaaaaaa-bbbbbbbb-cccccccc,'.repeat(18)}de`, 'en'],
  ['a range that would be cut', `fr,${' '.repeat(505)}de-x-klingon`, 'en'],
  ['a weight above 1', 'de;q=1e9', 'en'],
  ['a negative weight', 'de;q=-1', 'en'],
  ['a weight that is no number', 'de;q=nan', 'en'],
  ['no ranges', ';;;', 'en'],
  ['a member of objects', '__proto__', 'en'],
  ['another one', 'constructor', 'en'],
  ['a path', '../../en', 'en'],
  ['a long tag', 'de-DE-1996-x-private', 'de'],
  ['a private tag', 'x-klingon', 'en'],
  ['upper case', 'DE-AT', 'de'],
  ['other characters', 'd\u00e9', 'en'],
  ['weights', 'en;q=0.5, de;q=0.7', 'de'],
  ['an excluded language', 'de;q=0, *', 'en'],
  ['an excluded fallback', 'en;q=0, *;q=0.1', 'de'],
  ['nothing but an excluded language', 'en;q=0', 'en'],
  ['spaces', `de${' '.repeat(400)};q=0.${' '.repeat(50)}x`, 'en'],
];

describe.each(BOTH)('with a hostile client on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    controllers: [EchoController],
    imports: [KitAuthLanguagesModule],
  });

  it.each(HOSTILE)('the header has %s', async (_name, value, language) => {
    const started = performance.now();
    const { status, text, json, headers } = await app.request('/v1/api/auth/me', {
      headers: [`Accept-Language: ${value}`],
    });
    expect(performance.now() - started).toBeLessThan(1000);
    expect([status, json.language, headers['content-language']]).toEqual([401, language, language]);
    expect(text).toBe(
      (await app.request('/v1/api/auth/me', { headers: [`Accept-Language: ${language}`] })).text,
    );
  });

  it('two headers count as one', async () => {
    const headers = ['Accept-Language: fr', 'Accept-Language: de'];
    expect((await app.request('/v1/api/auth/me', { headers })).json.language).toBe('de');
  });

  it('a header of ten megabytes is refused by Node', async () => {
    const headers = [`Accept-Language: ${'de,'.repeat(3_500_000)}`];
    const answer = await app.request('/v1/api/auth/me', { headers }).catch(() => ({ status: 431 }));
    expect([400, 431]).toContain(answer.status);
  });

  it('no sentence contains what was sent', async () => {
    const sentences = new Set([en, de].flatMap((catalog) => Object.values(catalog).flat()));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CODES),
        fc.constantFrom('en', 'de'),
        fc.string({
          minLength: 5,
          unit: fc.constantFrom('{', '}', 'c', 'a', '7', '{count}', '{missing}', '$&'),
        }),
        async (code, language, canary) => {
          const url = `http://127.0.0.1:${app.port}/v1/echo?code=${code}&canary=${encodeURIComponent(canary)}`;
          // Not app.request(), which refuses answers with reasons that no package declares.
          const answer = await fetch(url, { headers: { 'Accept-Language': language } });
          const json = (await answer.json()) as { canary: unknown; text: unknown };
          expect(json.canary).toBe(canary);
          expect(sentences).toContain(json.text);
        },
      ),
      { numRuns: 100 },
    );
  });
});
