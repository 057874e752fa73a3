import { Module } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import { AUTH_PROVIDER, type AuthProvider, type LoginUser } from 'kit-auth';
import type { AuthMailer } from 'kit-auth-email';
import { KitAuthEmailModule, UserAddresses } from 'kit-auth-email';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { KitAuthSessionModule } from 'kit-auth-session';
import { AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { In, type Repository } from 'typeorm';
import { addUsers, rootModule } from './kit-auth.js';
import { createApp, type Peer } from './peer.js';

/** How many accounts have an address. As many more are disabled. */
export const ADDRESSES = 200;

/** Works at once, or never answers. */
const mailer: AuthMailer = {
  send: () => (process.env['BENCH_MAILER'] === 'hangs' ? new Promise(() => undefined) : Promise.resolve()),
};

const page = (name: string) => `https://app.example/${name}#{token}`;

@Module({
  imports: [
    KitAuthSessionModule,
    KitAuthEmailModule.forRoot({
      links: {
        reset: page('reset'),
        verify: page('verify'),
        register: page('register'),
        invite: page('invite'),
        login: page('login'),
      },
      loginLinks: true,
      mailer,
      requestsPerHour: 1_000_000,
    }),
    KitAuthRegistrationModule.forRoot(),
  ],
})
class AddressesModule {}

export async function kitAuthEmail(): Promise<Peer> {
  const app = await createApp(rootModule(AddressesModule, 'sqlite'), 'fastify');
  return {
    app,
    answers: {
      /** The token of a user without an address, who has just logged in. */
      'add addresses': async () => {
        const [mover, ...users] = (await addUsers(app, 2 * ADDRESSES + 1)) as [LoginUser, ...LoginUser[]];
        const addresses = app.get(UserAddresses, { strict: false });
        for (const [number, { userId }] of users.entries()) {
          await addresses.assign(
            userId,
            number < ADDRESSES ? addressOf('known', number) : addressOf('disabled', number - ADDRESSES),
            { verified: true },
          );
        }
        const ids = users.slice(ADDRESSES).map(({ userId }) => userId);
        await app
          .get<Repository<AuthUser>>(getRepositoryToken(AuthUser), { strict: false })
          .update({ id: In(ids) }, { status: AuthUserStatus.DISABLED });
        const provider = app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
        return provider.issueToken(mover, { factors: { password: Math.floor(Date.now() / 1000) } });
      },
    },
  };
}

/** All are of the same length. */
export function addressOf(kind: 'known' | 'unknown' | 'disabled', number: number): string {
  return `${kind.padEnd(8, 'x')}-${String(number).padStart(4, '0')}@mail.example`;
}
