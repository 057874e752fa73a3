import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, type Observable } from 'rxjs';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { KitAuthSettings } from '../contract/settings.js';
import type { Ports } from '../ports/ports.js';
import { ActiveErrorTexts } from './active.error-texts.js';
import { AuthExceptionFilter } from './auth-exception.filter.js';

const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });

/** What the filter makes of a refusal: headers, then the status, and what it returns. */
function answer(type: string, response: object = {}): { sent: unknown[]; returned: unknown } {
  const sent: unknown[] = [];
  const adapter = {
    isHeadersSent: () => false,
    reply: (_response: unknown, body: { code: number }, status: number) => sent.push([status, body.code]),
  };
  const texts = new ActiveErrorTexts({ enabled: false } as KitAuthSettings, {} as Ports);
  const filter = Object.assign(new AuthExceptionFilter(texts), { httpAdapterHost: { httpAdapter: adapter } });
  const note = (name: string, value: string) => sent.push([name, value]);
  const isReply = 'raw' in response;
  Object.assign(
    response,
    isReply ? { raw: { headersSent: false }, header: note } : { headersSent: false, setHeader: note },
  );
  const host = new ExecutionContextHost([{}, response]);
  host.setType(type);
  return { sent, returned: filter.catch(refusal, host) };
}

describe('AuthExceptionFilter', () => {
  Logger.overrideLogger(false);

  it.each([
    ['Express', {}],
    ['Fastify', { raw: undefined }],
  ])('sets the headers of a refusal, and answers it: %s', (_platform, response) => {
    expect(answer('http', response)).toEqual({
      sent: [
        ['Cache-Control', 'no-store'],
        ['Retry-After', '7'],
        [429, 42900],
      ],
      returned: undefined,
    });
  });

  it('answers a message of a microservice with the body', async () => {
    const { sent, returned } = answer('rpc');
    expect(sent).toEqual([]);
    await expect(lastValueFrom(returned as Observable<unknown>)).rejects.toMatchObject({ code: 42900 });
  });

  it('leaves the answer to other context types to what serves them', () => {
    expect(() => answer('graphql')).toThrow(refusal);
  });
});
