import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode, type AuthEvents, AuthException } from 'kit-auth';
import type { MessageContexts } from 'kit-auth/login';
import type { ServerRule } from './handshake.js';
import { SocketReports } from './socket.reports.js';

describe('a refused handshake', () => {
  const rule = { name: 'ChatGateway' } as ServerRule;
  const refuse = (error: unknown) => {
    const noted: unknown[] = [];
    const events = { begin: () => ({ note: (event: unknown) => void noted.push(event) }) };
    const reports = new SocketReports(events as unknown as AuthEvents, {} as MessageContexts);
    return { end: reports.refused('ws', rule, error), noted };
  };

  it('is an event without success, which names the gateway and the reason', () => {
    const { end, noted } = refuse(new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'expired' }));
    expect(end).toEqual({ code: 4401, reason: 'expired' });
    const handler = 'ChatGateway: expired';
    expect(noted).toEqual([{ type: 'socket-refused', success: false, detail: handler, handler }]);
  });

  it('is none while tokens cannot be checked', () => {
    const { end, noted } = refuse(new Error('disk'));
    expect(end).toEqual({ code: 1013, reason: 'unavailable' });
    expect(noted).toEqual([]);
  });
});
