import { Module } from '@nestjs/common';
import { AUTH_LOGINS, AUTH_PROVIDER, type AuthLogins, type AuthProvider, type LoginUser } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { bearer } from '../measure/tokens.js';
import { addUsers, rootModule } from './kit-auth.js';
import { createApp, type Peer } from './peer.js';

@Module({ imports: [KitAuthJwtModule, KitAuthRefreshModule.forRoot()] })
class JwtAndRefreshModule {}

/** Access tokens whose logins are checked every few seconds. */
export async function kitAuthRefresh(): Promise<Peer> {
  const app = await createApp(rootModule(JwtAndRefreshModule, 'sqlite'), 'fastify');
  return {
    app,
    logIn: async () => {
      const provider = app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
      const logins = app.get<AuthLogins>(AUTH_LOGINS, { strict: false });
      const [user] = (await addUsers(app, 1)) as [LoginUser];
      const login = { user, proof: { factors: { password: Math.floor(Date.now() / 1000) } } };
      const { proof } = await logins.open(login, undefined);
      return [bearer(await provider.issueToken(login.user, proof))];
    },
  };
}
