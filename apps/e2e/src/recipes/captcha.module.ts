import { Inject, Injectable, Module } from '@nestjs/common';
import { AuthErrorCode, AuthException, LOGIN_STEP } from 'kit-auth';
import type { LoginAttempt, LoginStep, VerifiedLogin } from 'kit-auth';

/** The service that checks solutions. Turnstile, hCaptcha and reCAPTCHA have the same form. */
export const CAPTCHA = Symbol('captcha');
export type CaptchaOptions = Record<'url' | 'secret', string>;

/** Asks for a captcha before the password of a login is compared. */
@Injectable()
export class CaptchaStep implements LoginStep {
  readonly fields = ['captcha'];
  readonly order = -1; // before the throttle

  constructor(@Inject(CAPTCHA) private readonly service: CaptchaOptions) {}

  async around(attempt: LoginAttempt, check: () => Promise<VerifiedLogin>): Promise<VerifiedLogin> {
    const isLogin = attempt.client !== undefined && attempt.action.user === undefined;
    if (isLogin && !(await this.isSolved(attempt.fields['captcha']))) {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, { reason: 'captcha', message: 'Solve the captcha' });
    }
    return check();
  }

  private async isSolved(solution: unknown): Promise<boolean> {
    if (typeof solution !== 'string' || solution.length > 2048) {
      return false;
    }
    const { url, secret } = this.service;
    const body = new URLSearchParams({ secret, response: solution });
    const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(3000) });
    return ((await answer.json()) as { success?: unknown }).success === true;
  }
}

@Module({ providers: [{ provide: LOGIN_STEP, useClass: CaptchaStep }] })
export class CaptchaModule {}
