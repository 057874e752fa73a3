import { type DynamicModule, Module } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import bcrypt from 'bcrypt';
import {
  AuthUser,
  AuthUserStatus,
  KitAuthModule,
  type KitAuthLoginOptions,
  type KitAuthOptions,
  LoginThrottle,
} from 'kit-auth';
import { database } from './databases.js';
import { type Implementation, IMPLEMENTATIONS } from './implementations.js';
import { type Running, start, type StartOptions } from './platforms.js';
import { type Answer, postJson } from './raw-http.js';

@Module({})
class ThrottleApp {
  static with(
    login: KitAuthLoginOptions,
    more: KitAuthOptions,
    implementation: Implementation,
  ): DynamicModule {
    return {
      module: ThrottleApp,
      imports: [
        database(),
        KitAuthModule.forRoot({ password: { cost: 10 }, login, ...more }),
        IMPLEMENTATIONS[implementation],
      ],
    };
  }
}

export interface ThrottleOptions extends StartOptions {
  login?: KitAuthLoginOptions;
  more?: KitAuthOptions;
  implementation?: Implementation;
}

const passwordHash = bcrypt.hashSync('right', 10);

/** An application with `ada`, `Ada`, and `off`, who is disabled; all have the password `right`. */
export async function startThrottled(options: ThrottleOptions = {}): Promise<Guesser> {
  const { login = {}, more = {}, implementation = 'jwt', ...startOptions } = options;
  const running = await start(ThrottleApp.with(login, more, implementation), startOptions);
  for (const [username, status] of [
    ['ada', AuthUserStatus.ENABLED],
    ['Ada', AuthUserStatus.ENABLED],
    ['off', AuthUserStatus.DISABLED],
  ] as const) {
    await running.app
      .get(getRepositoryToken(AuthUser))
      .save({ username, nickname: username, passwordHash, status, roles: [] });
  }
  return new Guesser(running);
}

export class Guesser {
  constructor(readonly running: Running) {}

  get throttle(): LoginThrottle {
    return this.running.app.get(LoginThrottle);
  }

  login(username: string, password: string, ...headers: string[]): Promise<Answer> {
    return postJson(this.running.port, '/v1/api/auth/login', { username, password }, headers);
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

  close(): Promise<void> {
    return this.running.app.close();
  }
}

export const FIVE_WRONG = [40110, 40110, 40110, 40110, 40110];
