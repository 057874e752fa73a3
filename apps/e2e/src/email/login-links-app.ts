import type { AuthMail } from 'kit-auth-email';
import { type Answer, bodyOf, until } from 'test-support';
import { ALL_LINKS, EmailApp, type EmailAppOptions, LINKS, tokenIn } from './app.js';
import { ProofController } from '../account/proof.controller.js';

export const LOGIN_LINKS = { ...LINKS, login: 'https://app.example/login#{token}' };

/** Options of applications whose links create accounts. */
export const SIGN_UP = { links: ALL_LINKS, loginLinks: { signUp: true } };

/** A mail with a login link, and the cookie of the browser that has asked for it. */
export interface SentLink {
  readonly token: string;
  readonly code: string;
  readonly cookie: string;
  readonly mail: AuthMail;
}

/** An application with login links. */
export class LoginLinkApp extends EmailApp {
  constructor({ email, ...options }: EmailAppOptions = {}) {
    const given = { links: LOGIN_LINKS, loginLinks: true, ...email };
    super({ ...options, email: given }, { controllers: [ProofController] });
  }

  /** Asks for a link. */
  ask(email: unknown, more: object = {}, ...headers: string[]): Promise<Answer> {
    return this.request('/v1/api/auth/login/link', { method: 'POST', json: { email, ...more }, headers });
  }

  /** Asks for a link in a browser of its own, and reads the mail. */
  async linkTo(address: string, more: object = {}, ...headers: string[]): Promise<SentLink> {
    const before = this.mailbox.to(address, 'login').length;
    const answer = await this.ask(address, more, ...headers);
    bodyOf(answer, 202);
    const mail = await until(() => this.mailbox.to(address, 'login')[before]);
    return { token: tokenIn(mail), code: mail.code ?? '', cookie: cookieIn(answer), mail };
  }

  /** @param cookie of the browser, if it has one */
  complete(shown: object, cookie?: string, ...headers: string[]): Promise<Answer> {
    return this.request('/v1/api/auth/login/link/complete', {
      method: 'POST',
      json: shown,
      headers: [...(cookie === undefined ? [] : [`Cookie: ${cookie}`]), ...headers],
    });
  }

  /** 200, or the code and the reason of the refusal. */
  async outcome(shown: object, cookie?: string): Promise<string> {
    const { status, json } = await this.complete(shown, cookie);
    return [json?.code ?? status, json?.reason].filter(Boolean).join(' ');
  }

  /** Opens the link in the browser that has asked for it. */
  open({ token, cookie }: SentLink): Promise<string> {
    return this.outcome({ token }, cookie);
  }
}

/** What a browser sends back of the cookie that binds a link. */
export function cookieIn({ cookies }: Answer): string {
  const [line = ''] = cookies.filter((cookie) => cookie.includes('kit-auth-login-link='));
  return line.split(';')[0] as string;
}

/** Another code of the same form. */
export function otherThan(code: string): string {
  return `${code.startsWith('B') ? 'C' : 'B'}${code.slice(1)}`;
}
