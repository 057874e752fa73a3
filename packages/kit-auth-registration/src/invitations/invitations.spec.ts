import { describe, expect, it } from '@jest/globals';
import { type AccountChange, AuthErrorCode, AuthException, type NotedEvent } from 'kit-auth';
import { type ActingAdministrators, type ActiveUserStore, AdminAuthority } from 'kit-auth/feature';
import type { NewOneTimeToken, OneTimeToken, OneTimeTokenFilter, OneTimeTokens } from 'kit-auth/store';
import type { AuthMail } from 'kit-auth-email';
import type { Accounts } from '../accounts.js';
import type { EmailModuleParts } from '../email-module-parts.js';
import type { InvitationRoles } from './invitation-roles.js';
import { Invitations, type NewInvitation } from './invitations.js';

const ADDRESS = { address: 'Ada@Example.com', key: 'ada@example.com' };
const WANTED: NewInvitation = { address: ADDRESS, nickname: undefined, roles: ['editor'], locale: undefined };
const EXPIRES = new Date(1_700_000_000_000);
const AUTHORITY = new AdminAuthority({ superAdmin: true, permissions: [] });

interface Case {
  /** The invitations to the address. */
  live?: readonly Partial<OneTimeToken>[];
  hasAccount?: boolean;
  isFull?: boolean;
  /** What refuses the roles, or those of an earlier invitation. */
  refusal?: { require?: Error; reach?: Error; issue?: Error };
  cancelled?: number;
}

function invitationsWith({
  live = [],
  hasAccount = false,
  isFull = false,
  refusal = {},
  cancelled = 1,
}: Case = {}) {
  const noted: NotedEvent[] = [];
  const issued: unknown[][] = [];
  const filters: unknown[][] = [];
  const prepared: (() => Promise<AuthMail | undefined>)[] = [];
  const transaction = {};
  const change = { transaction, note: async (event: NotedEvent) => void noted.push(event) } as AccountChange;
  const administrators = {
    begin: (permission: string) => {
      expect(permission).toBe('auth:user:write');
      const noting = (work: () => Promise<unknown>) => work();
      return { action: {}, userId: 1, authority: async () => AUTHORITY, noting };
    },
  } as unknown as ActingAdministrators;
  const users = {
    transaction: async (_: unknown, work: (change: AccountChange) => Promise<unknown>) => work(change),
  } as unknown as ActiveUserStore;
  const email = {
    queue: {
      add: (about: object, prepare: () => Promise<AuthMail | undefined>) => {
        expect(about).toEqual({ kind: 'invite' });
        if (isFull) {
          throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
        }
        prepared.push(prepare);
      },
    },
    links: { build: (page: string, token: string) => `https://app.example/${page}#${token}` },
  } as unknown as EmailModuleParts;
  const tokens = {
    issue: async (wanted: NewOneTimeToken, inTransaction: unknown) => {
      if (refusal.issue !== undefined) {
        throw refusal.issue;
      }
      issued.push([wanted, inTransaction]);
      return { token: 'kato_x', id: 'x', expiresAt: EXPIRES };
    },
    list: async (filter: OneTimeTokenFilter, inTransaction?: unknown) => {
      filters.push([filter, inTransaction]);
      return live;
    },
    cancel: async (filter: OneTimeTokenFilter, inTransaction?: unknown) => {
      filters.push([filter, inTransaction]);
      return cancelled;
    },
  } as unknown as OneTimeTokens;
  const roles = {
    require: async (...args: unknown[]) => {
      expect(args).toEqual([WANTED.roles, AUTHORITY]);
      if (refusal.require !== undefined) {
        throw refusal.require;
      }
    },
    requireReach: async (...args: unknown[]) => {
      expect(args.slice(1)).toEqual([AUTHORITY, change]);
      if (refusal.reach !== undefined) {
        throw refusal.reach;
      }
    },
  } as unknown as InvitationRoles;
  const accounts = { has: async (key: string) => key === ADDRESS.key && hasAccount } as Accounts;
  const invitations = new Invitations(administrators, users, email, accounts, tokens, roles);
  return { invitations, noted, issued, filters, prepared, transaction };
}

const FORBIDDEN = new AuthException(AuthErrorCode.FORBIDDEN);

describe('an invitation', () => {
  it('is stored with an event, and then sent', async () => {
    const { invitations, noted, issued, prepared, transaction } = invitationsWith();
    const sent = await invitations.invite({ ...WANTED, nickname: 'Ada', locale: 'de' });
    expect(sent).toEqual({ id: 'x', email: ADDRESS.address, expiresAt: EXPIRES });
    expect(issued).toEqual([
      [
        {
          purpose: 'invite',
          subject: ADDRESS.key,
          data: { address: ADDRESS.address, roles: ['editor'], inviterId: 1, nickname: 'Ada' },
          ttlSeconds: 7 * 24 * 60 * 60,
          replaces: true,
        },
        transaction,
      ],
    ]);
    expect(noted).toEqual([{ type: 'invited', subject: ADDRESS.key, detail: 'roles: editor' }]);
    expect(await prepared[0]!()).toEqual({
      kind: 'invite',
      to: ADDRESS.address,
      link: 'https://app.example/invite#kato_x',
      expiresAt: EXPIRES,
      locale: 'de',
    });
  });

  it.each<[string, Case, number, number]>([
    ['the roles are refused', { refusal: { require: FORBIDDEN } }, 40300, 0],
    ['the address belongs to an account', { hasAccount: true }, 40900, 0],
    ['the queue is full', { isFull: true }, 50300, 0],
    ['it would replace one out of reach', { live: [{ data: {} }], refusal: { reach: FORBIDDEN } }, 40300, 1],
    ['it is not stored', { refusal: { issue: new AuthException(AuthErrorCode.AUTH_UNAVAILABLE) } }, 50300, 1],
  ])('is neither stored nor sent where %s', async (_, which, code, queued) => {
    const { invitations, noted, issued, prepared } = invitationsWith(which);
    await expect(invitations.invite(WANTED)).rejects.toMatchObject({ code });
    expect([noted, issued, prepared.length]).toEqual([[], [], queued]);
    for (const prepare of prepared) {
      expect(await prepare()).toBeUndefined();
    }
  });

  it('is refused where its data are too long for the table', async () => {
    const { invitations, prepared } = invitationsWith();
    expect(() => invitations.invite({ ...WANTED, nickname: 'é'.repeat(1000) })).toThrow(
      expect.objectContaining({ code: 40000, message: 'The nickname and the roles together are too long' }),
    );
    expect(prepared).toEqual([]);
  });

  it('is ended with all others to its address', async () => {
    const { invitations, noted, filters, transaction } = invitationsWith({
      live: [{ subject: ADDRESS.key, data: {} }],
    });
    await invitations.end('x');
    expect(filters).toEqual([
      [{ purpose: 'invite', id: 'x' }, transaction],
      [{ purpose: 'invite', subject: ADDRESS.key }, transaction],
      [{ purpose: 'invite', subject: ADDRESS.key }, transaction],
    ]);
    expect(noted).toEqual([{ type: 'invitation-ended', subject: ADDRESS.key }]);
  });

  it.each<[string, Case, number]>([
    ['unknown', {}, 40400],
    ['used or ended at the same time', { live: [{ subject: ADDRESS.key }], cancelled: 0 }, 40400],
    ['out of reach', { live: [{ subject: ADDRESS.key }], refusal: { reach: FORBIDDEN } }, 40300],
  ])('is not ended where it is %s', async (_, which, code) => {
    const { invitations, noted } = invitationsWith(which);
    await expect(invitations.end('x')).rejects.toMatchObject({ code });
    expect(noted).toEqual([]);
  });

  it('is listed without a secret', async () => {
    const [createdAt, expiresAt] = [new Date(1), new Date(2)];
    const data = { address: ADDRESS.address, roles: [], inviterId: 1 };
    const row = { id: 'x', subject: ADDRESS.key, attempts: 3, userId: undefined, createdAt, expiresAt };
    const named = { ...row, data: { ...data, nickname: 'Ada' } };
    const { invitations } = invitationsWith({ live: [named, { ...row, data }] });
    const view = { id: 'x', email: ADDRESS.address, roles: [], inviterId: 1, createdAt, expiresAt };
    expect(await invitations.list()).toEqual([{ ...view, nickname: 'Ada' }, view]);
  });
});
