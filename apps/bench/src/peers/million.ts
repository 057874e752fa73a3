import type { INestApplication } from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AuthErrorCode,
  AuthEvents,
  AuthException,
  type AuthProvider,
  type LoginAttempt,
} from 'kit-auth';
import { LoginThrottle } from 'kit-auth/login';
import { jwt } from '../measure/tokens.js';
import { MILLION, settle } from './busy.js';

/** Shows the application a million tokens, and a million failed logins of as many names and addresses. */
export async function rememberAMillion(app: INestApplication): Promise<void> {
  const provider = app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
  const throttle = app.get(LoginThrottle, { strict: false });
  const action = app.get(AuthEvents, { strict: false }).begin();
  const failure = new AuthException(AuthErrorCode.LOGIN_FAILED);
  for (let number = 0; number < MILLION; number++) {
    void provider.resolveToken(jwt(number));
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    const client = { address, userAgent: undefined, hasLeft: () => false };
    const attempt: LoginAttempt = {
      first: 'password',
      fields: {},
      username: `name-${number}`,
      isPossible: true,
      action,
      client,
    };
    await throttle.around(attempt, () => Promise.reject(failure)).catch(() => undefined);
  }
  await settle();
}
