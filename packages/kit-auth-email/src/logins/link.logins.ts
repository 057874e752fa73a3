import { Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type BegunLogin,
  type TransportRequest,
  type UserId,
  type VerifiedLogin,
} from 'kit-auth';
import { invalidLink } from 'kit-auth/feature';
import { type LoginAnswer, LoginFlow, PasswordHashing } from 'kit-auth/login';
import { turnOf } from 'kit-auth/tools';
import { type OneTimeToken, OneTimeTokens, type PeekedToken } from 'kit-auth/store';
import { KnownPlaces } from '../mails/known-places.js';
import { MailLimits } from '../mails/mail.limits.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { readCode } from './login-codes.js';
import { dataOf, LOGIN_LINK } from './login-links.js';
import { LoginLinkCookie } from './login-link.cookie.js';
import { LoginLinkSignUps } from './sign-ups.js';

const WRONG_CODES = 5;

/** Proof of a login: the token of a link, or an address in lower case with the code of its mail. */
export type ShownLink = { readonly token: string } | { readonly key: string; readonly code: string };

/** A link that may be used. */
interface UsableLink {
  readonly token: string | OneTimeToken;
  readonly link: PeekedToken;
}

/** Logs users in with a link or a code. */
@Injectable()
export class LinkLogins {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly addresses: UserAddresses,
    private readonly hashing: PasswordHashing,
    private readonly limits: MailLimits,
    private readonly places: KnownPlaces,
    private readonly cookie: LoginLinkCookie,
    private readonly signUps: LoginLinkSignUps,
    private readonly flow: LoginFlow,
  ) {}

  /**
   * Logs in. Creates the account if there is none yet and `loginLinks.signUp` allows it.
   *
   * @param request its body has the members that login steps read
   * @throws AuthException 40010 for a link or a code that does not work, with the reason `other-browser` for a link in another browser; 40110 when the user was changed at the same time, 40900 when the address of a new
   * account is taken, 42900 after too many codes, 50300, and what the steps of the login throw
   */
  async logIn(shown: ShownLink, request: TransportRequest): Promise<LoginAnswer> {
    const begun = this.flow.begin('email', request);
    const { login, remember } = await this.flow.verifying(async () => {
      const accepted =
        'token' in shown
          ? await this.byToken(shown.token, request)
          : await this.byCode(shown.key, shown.code, begun);
      const login = await this.use(accepted, begun);
      const { browser, remember } = dataOf(accepted.link);
      if (this.cookie.isOf(request, browser)) {
        await this.places.remember(accepted.link.subject as string, browser);
      }
      return { login, remember };
    });
    const answer = await this.flow.proceed(login, { ...begun, username: login.user.username });
    return { ...answer, remember };
  }

  private async byToken(token: string, request: TransportRequest): Promise<UsableLink> {
    const link = await this.tokens.peek(LOGIN_LINK, token);
    if (!this.cookie.isOf(request, dataOf(link).browser)) {
      throw AuthException.refusal(AuthErrorCode.LINK_INVALID, {
        reason: 'other-browser',
        message: 'This browser has not asked for the link. Enter the code of the mail',
      });
    }
    return { token, link };
  }

  /**
   * A wrong code takes as long for every address, known or not: each address that a link was requested for has a token. Right
   * codes count, too, so that parallel requests cannot try more than five. Wrong codes do not end the link, because strangers
   * can enter codes.
   */
  private async byCode(key: string, text: string, { client, action }: BegunLogin): Promise<UsableLink> {
    await this.limits.countCode();
    const code = readCode(text);
    if (code === undefined) {
      throw invalidLink();
    }
    const token = (await this.tokens.list({ purpose: LOGIN_LINK, subject: key })).at(-1);
    const isRight = await this.hashing.verify(code, token && dataOf(token).code, turnOf(client));
    if (token === undefined || !(await this.mayTry(token)) || !isRight) {
      const subject = (token && dataOf(token).username) ?? null;
      const about = { subjectId: token?.userId ?? null, subject };
      // Strangers can enter codes. The first failure of an account is published at once, the others of a minute as one event.
      const handler = `login-link ${about.subjectId ?? ''}`;
      action.note({ type: 'login-failed', ...about, success: false, detail: 'email', handler });
      throw invalidLink();
    }
    return { token, link: await this.tokens.peek(LOGIN_LINK, token) };
  }

  private async mayTry(token: OneTimeToken): Promise<boolean> {
    try {
      await this.tokens.attempt(LOGIN_LINK, token, WRONG_CODES);
      return true;
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.LINK_INVALID) {
        return false;
      }
      throw error;
    }
  }

  /** The address may have another owner by now. A link that was not sent has neither a user nor an address. */
  private async use({ token, link }: UsableLink, begun: BegunLogin): Promise<VerifiedLogin> {
    const key = link.subject as string;
    const owner = await this.addresses.findByKey(key);
    if (owner?.userId !== link.userId || (owner !== undefined && owner.verifiedAt === undefined)) {
      throw invalidLink();
    }
    const claim = (transaction: unknown) => this.tokens.claim(LOGIN_LINK, token, transaction);
    if (owner === undefined) {
      const { address } = dataOf(link);
      if (address === undefined) {
        throw invalidLink();
      }
      return this.identify(await this.signUps.signUp({ address, key }, begun.action, claim), begun);
    }
    const login = await this.identify(owner.userId, begun);
    if (login.stamp !== link.stamp) {
      throw invalidLink();
    }
    await claim(undefined);
    return login;
  }

  private identify(userId: UserId, begun: BegunLogin): Promise<VerifiedLogin> {
    return this.flow.identify(userId, { email: Math.floor(Date.now() / 1000) }, begun);
  }
}
