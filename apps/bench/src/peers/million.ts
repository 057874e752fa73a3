import type { INestApplication } from '@nestjs/common';
import { AuthErrorCode, AuthException, AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { LoginThrottle } from 'kit-auth/extend';
import { openRequestContext } from '../../../../packages/kit-auth/dist/context/kit-auth.context.js';
import { jwt } from '../measure/tokens.js';
import { MILLION, settle } from './busy.js';

/** Shows the application a million tokens, some of them twice, and a million failed logins of as many names and addresses. */
export async function rememberAMillion(app: INestApplication): Promise<void> {
  const provider = app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
  const throttle = app.get(LoginThrottle, { strict: false });
  const failure = new AuthException(AuthErrorCode.LOGIN_FAILED);
  for (let number = 0; number < MILLION; number++) {
    const token = jwt(number);
    void provider.resolveToken(token);
    if (number % 10 === 0) {
      void provider.resolveToken(token); // which is when it is remembered
    }
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    await new Promise((resolve) => {
      const response = { destroyed: false, once: () => undefined };
      openRequestContext({ ip: address, headers: {}, socket: { remoteAddress: address } }, response, () => {
        throttle.guard(`name-${number}`, () => Promise.reject(failure)).catch(resolve);
      });
    });
  }
  await settle();
}
