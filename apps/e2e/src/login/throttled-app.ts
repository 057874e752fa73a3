import type { KitAuthOptions } from 'kit-auth';
import { LoginThrottle } from 'kit-auth/login';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { TestApp, type TestAppOptions } from 'test-support';

export interface ThrottledOptions extends TestAppOptions {
  throttle?: NonNullable<KitAuthOptions['login']>['throttle'];
}

/** An application with `ada`, `Ada`, and `off`, who is disabled; all have the password `right`. */
export class ThrottledApp extends TestApp {
  constructor({ throttle, options, ...more }: ThrottledOptions = {}) {
    super({ ...more, options: { ...options, ...(throttle !== undefined && { login: { throttle } }) } });
  }

  override async start(): Promise<this> {
    await super.start();
    const password = 'right';
    await this.user({ username: 'ada', password });
    await this.user({ username: 'Ada', password });
    await this.user({ username: 'off', password, status: AuthUserStatus.DISABLED });
    return this;
  }

  get throttle(): LoginThrottle {
    return this.get(LoginThrottle);
  }

  /** The outcome of a login in short: 200, the code of a refusal, or `429 after 4`. */
  async try(username: string, password: string, from?: string): Promise<number | string> {
    const { status, json, headers } = await this.login(
      username,
      password,
      ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
    );
    return status === 429 ? `${json.code} after ${headers['retry-after']}` : (json.code ?? status);
  }

  /** So many wrong guesses, one after the other. */
  async guess(times: number, username = 'ada', from?: string): Promise<(number | string)[]> {
    const outcomes: (number | string)[] = [];
    for (let i = 0; i < times; i++) {
      outcomes.push(await this.try(username, 'wrong', from));
    }
    return outcomes;
  }
}

export const FIVE_WRONG = [40110, 40110, 40110, 40110, 40110];
