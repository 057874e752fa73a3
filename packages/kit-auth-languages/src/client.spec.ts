import { describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { type Catalog, sentences, translator } from './client.js';

const CATALOG: Catalog = {
  '40101': 'Bitte melden Sie sich an.',
  '40101.idle': 'Sie waren nicht aktiv.',
  '40000.password-too-short': { one: 'Ein Zeichen.', other: 'Mindestens {count} Zeichen.' },
  '40000': 'Prüfen Sie die Eingabe.',
  '42900': ['In {duration} noch einmal.', 'Später noch einmal.'],
  '40120.missing': 'Zeigen Sie: {missing}.',
  '40120': 'Bestätigen Sie.',
  '40350': 'Bis {time}.',
  'factor.totp': 'Code der App',
  'factor.passkey': 'Passkey',
  'role.editor': 'Redaktion',
};

describe('the client', () => {
  it('imports nothing, and has less than 1 KB', () => {
    const { outputFiles } = buildSync({
      entryPoints: ['packages/kit-auth-languages/src/client.ts'],
      minify: true,
      format: 'esm',
      write: false,
      bundle: true,
    });
    expect(outputFiles[0]?.text).not.toMatch(/\bimport\b/);
    expect(outputFiles[0]?.contents.length).toBeLessThan(1024);
  });

  const translated = translator(CATALOG, 'de');

  it.each([
    [{ code: 40101, reason: 'idle' }, 'Sie waren nicht aktiv.'],
    [{ code: 40101, reason: 'expired' }, 'Bitte melden Sie sich an.'],
    [{ code: 40101 }, 'Bitte melden Sie sich an.'],
    [{ code: 40000, reason: 'password-too-short', count: 1 }, 'Ein Zeichen.'],
    [{ code: 40000, reason: 'password-too-short', count: 1234 }, 'Mindestens 1.234 Zeichen.'],
    [{ code: 40000, reason: 'password-too-short' }, 'Prüfen Sie die Eingabe.'],
    [{ code: 42900, retryAfter: 1 }, 'In 1 Sekunde noch einmal.'],
    [{ code: 42900, retryAfter: 61 }, 'In 2 Minuten noch einmal.'],
    [{ code: 42900, retryAfter: 3601 }, 'In 2 Stunden noch einmal.'],
    [{ code: 42900 }, 'Später noch einmal.'],
    [
      { code: 40120, reason: 'missing', missing: ['totp', 'passkey'] },
      'Zeigen Sie: Code der App oder Passkey.',
    ],
    [{ code: 40120, reason: 'missing', missing: ['editor', 'note:read'] }, 'Zeigen Sie: Redaktion.'],
    [{ code: 40120, reason: 'missing', missing: ['note:read'] }, 'Bestätigen Sie.'],
  ])('translates %j', (error, sentence) => {
    expect(translated(error)).toBe(sentence);
  });

  it('uses the sentence of the server in the language of the page, or if the catalog has none, or the message', () => {
    const text = 'Auf dem Server.';
    expect(translated({ code: 40101, text, language: 'de', message: 'x' })).toBe(text);
    expect(translated({ code: 40101, text: 'On the server.', language: 'en' })).toBe(
      'Bitte melden Sie sich an.',
    );
    expect(translated({ code: 40400, text: 'On the server.', language: 'en' })).toBe('On the server.');
    expect(translated({ code: 40350, message: 'Accept the terms' })).toBe('Accept the terms');
    expect(translated({})).toBe('');
  });

  it('has times in the time zone of the page, or in the one given', () => {
    const error = { code: 40350, expiresAt: '2026-11-27T20:30:00Z' };
    expect(sentences(CATALOG, 'de', 'UTC')(error)).toBe('Bis 27. November 2026 um 20:30:00 UTC.');
    expect(sentences(CATALOG, 'de', 'Europe/Berlin')(error)).toBe('Bis 27. November 2026 um 21:30:00 MEZ.');
    expect(sentences(CATALOG, 'de')({ code: 40350, expiresAt: 'soon' })).toBeUndefined();
  });

  it('has the language of the page by default', () => {
    const page = globalThis as { document?: unknown };
    page.document = { documentElement: { lang: 'de' } };
    try {
      expect(translator(CATALOG)({ code: 42900, retryAfter: 2 })).toBe('In 2 Sekunden noch einmal.');
    } finally {
      delete page.document;
    }
  });
});
