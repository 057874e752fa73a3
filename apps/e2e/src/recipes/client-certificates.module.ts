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

/** The users of services, by the common names of their certificates. */
const SERVICES = new Map([['billing', 7]]);

/** Resolves requests of services that have a certificate of your own certificate authority. */
@Injectable()
export class ClientCertificates implements AuthCredential {
  readonly scheme = 'mtls'; // KitAuthContext.principal().scheme in handlers

  constructor(private readonly users: ActiveUserStore) {}

  /** Called for a request without a token header, if the route reads tokens. */
  read(request: TransportRequest): string | undefined {
    const name = request.clientCertificate?.()?.subject.CN;
    return typeof name === 'string' ? name : undefined; // 40100
  }

  /** Called with the name that `read` has returned, and with no other. */
  async resolve(name: string): Promise<ResolvedLogin> {
    const userId = SERVICES.get(name);
    const user = userId && (await this.users.loadLoginUser(userId)); // undefined if disabled or deleted
    if (!user) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID);
    }
    return { user, proof: { factors: { key: Math.floor(Date.now() / 1000) } } };
  }
}

@Module({ providers: [{ provide: AUTH_CREDENTIAL, useClass: ClientCertificates }] })
export class ClientCertificatesModule {}
