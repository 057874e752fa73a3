import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import {
  AUTH_CREDENTIAL,
  type AuthCredential,
  AuthErrorCode,
  AuthException,
  type ResolvedLogin,
  type TransportRequest,
} from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';

/** Who signs requests. In your application, this is a table. */
const CLIENTS = new Map([['shop', { secret: 'a secret that only the shop has', userId: 7 }]]);
const MAX_AGE_SECONDS = 60;

/** Resolves `Authorization: HMAC-SHA256 <client>:<seconds since 1970>:<signature>`. */
@Injectable()
export class SignedRequests implements AuthCredential {
  readonly authScheme = 'HMAC-SHA256';
  readonly scheme = 'signed'; // KitAuthContext.principal().scheme in handlers

  constructor(private readonly users: ActiveUserStore) {}

  async resolve(token: string, request?: TransportRequest): Promise<ResolvedLogin> {
    const [name = '', time = '', signature = ''] = token.split(':');
    const client = CLIENTS.get(name);
    const now = Math.floor(Date.now() / 1000);
    const isSigned =
      client !== undefined &&
      request !== undefined &&
      Math.abs(now - Number(time)) <= MAX_AGE_SECONDS &&
      isSame(signature, signatureOf(client.secret, time, request));
    const user = isSigned ? await this.users.loadLoginUser(client.userId) : undefined; // undefined if disabled or deleted
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID);
    }
    return { user, proof: { factors: { key: now } } };
  }
}

/** `rawBody` needs `NestFactory.create(AppModule, { rawBody: true })`. Without it, bodies would not be signed. */
export function signatureOf(
  secret: string,
  time: string,
  { method, url, rawBody }: Pick<TransportRequest, 'method' | 'url' | 'rawBody'>,
): string {
  const signed = createHmac('sha256', secret).update(`${time}\n${method}\n${url}\n`);
  return signed.update(rawBody ?? '').digest('hex');
}

function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

@Module({ providers: [{ provide: AUTH_CREDENTIAL, useClass: SignedRequests }] })
export class SignedRequestsModule {}
