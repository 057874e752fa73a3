import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Delete, Post } from '@nestjs/common';
import { AuthErrorCode, AuthException, RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { freezeDate, TestApp } from 'test-support';
import { FactorsApp } from '../factors/app.js';

const MINUTE = 60_000;

@Controller('v1')
class DocumentedController {
  @Post('invoices')
  @RequirePermissions('invoice:write')
  create() {
    return {};
  }

  @Delete('account')
  @RequireFresh()
  close() {
    return {};
  }
}

/**
 * What a document shows below a comment such as `<!-- answer: a new API key -->`, and below `<!-- body: a new API key -->`
 * what the request sends.
 */
const blocks = new Map<string, string>();
for (const file of execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n')) {
  const text = readFileSync(file, 'utf8');
  for (const [, name, block] of text.matchAll(
    /^<!-- ((?:answer|body): [^\n]+) -->\n\n```\w+\n(.*?)^```$/gms,
  )) {
    blocks.set(name!, block!);
  }
}

/** Matches a value as a document shows it: `…` stands for anything, and a time for every other time. */
function like(shown: unknown): unknown {
  if (typeof shown === 'string' && /^\d{4}-\d\d-\d\dT/.test(shown)) {
    return expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  if (typeof shown === 'string' && shown.includes('…')) {
    const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return expect.stringMatching(new RegExp(`^${parts.join('.+')}$`, 's'));
  }
  if (typeof shown === 'number' && shown > 1e9) {
    return expect.any(Number); // seconds since 1970
  }
  if (Array.isArray(shown)) {
    return shown.map(like);
  }
  return typeof shown === 'object' && shown !== null
    ? Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, like(value)]))
    : shown;
}

describe('the answers in the documents', () => {
  let app: TestApp & FactorsApp;
  let move: (milliseconds: number) => void;

  beforeAll(async () => {
    app = new FactorsApp({ imports: [KitAuthKeysModule], controllers: [DocumentedController] });
    await app.start();
    await app.role({ code: 'reporter', permissions: ['report:read', 'note:*'] });
  });
  beforeEach(() => {
    move = freezeDate();
  });

  const answers: Record<string, () => Promise<unknown>> = {
    'a new API key': async () => {
      const token = await app.tokenOf(await app.user({ roles: ['reporter'] }));
      const { json } = await app.call(token, 'POST', 'keys', JSON.parse(blocks.get('body: a new API key')!));
      return json;
    },
    'a login that needs a second factor': async () => {
      const { username } = await app.enrolled();
      return (await app.login(username)).json;
    },
    'a token that has expired': async () => {
      const token = await app.tokenOf(await app.user());
      move(13 * 60 * MINUTE);
      return (await app.call(token, 'GET', 'me')).json;
    },
    'a missing permission': async () => {
      const token = await app.tokenOf(await app.user());
      return (await app.request('/v1/invoices', { method: 'POST', token })).json;
    },
    'a login that is not fresh': async () => {
      const token = await app.tokenOf(await app.user());
      move(11 * MINUTE);
      const { json, headers } = await app.request('/v1/account', { method: 'DELETE', token });
      return { status: 'HTTP/1.1 401 Unauthorized', challenge: headers['www-authenticate'], json };
    },
    'a resolver without a token': async () => {
      const { extensions } = new AuthException(AuthErrorCode.TOKEN_MISSING);
      // The rest is what Apollo adds.
      return {
        message: 'No token was sent, log in first',
        path: ['cats'],
        extensions: { code: 'UNAUTHENTICATED', ...extensions },
      };
    },
  };

  it.each(Object.keys(answers))('%s', async (name) => {
    const shown = blocks.get(`answer: ${name}`) ?? 'no document shows it';
    const [head, body] = shown.startsWith('HTTP/') ? shown.split('\n\n') : [undefined, shown];
    const [status, challenge] = head?.split(/\nWWW-Authenticate: /) ?? [];
    const wanted = like(JSON.parse(body));
    expect(await answers[name]!()).toEqual(head === undefined ? wanted : { status, challenge, json: wanted });
  });

  it('have a test each', () => {
    const shown = [...blocks.keys()].filter((name) => name.startsWith('answer: '));
    expect(shown.map((name) => name.slice('answer: '.length)).sort()).toEqual(Object.keys(answers).sort());
  });
});
