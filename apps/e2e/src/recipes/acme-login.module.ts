import { HttpCode, Inject, Module, Post, Req } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { AuthErrorCode, AuthEvents, AuthException, AuthManager, Public, type UserId } from 'kit-auth';
import { ActiveUserStore, type JsonRequest, KitAuthController, readBody, TEXT } from 'kit-auth/feature';
import { Column, Entity, type EntityManager, PrimaryColumn, type Repository } from 'typeorm';

/** Options of the provider: its address, and what it knows your application by. */
export const ACME = Symbol('acme');
export type AcmeOptions = Record<'url' | 'client_id' | 'client_secret' | 'redirect_uri', string>;
type Answer = Record<'access_token' | 'sub' | 'name', string>;

/** Which account a user of the provider has. */
@Entity('acme_identity')
export class AcmeIdentity {
  @PrimaryColumn()
  subject!: string;

  @Column()
  userId!: number;
}

/** Logs in with a code of the provider. Creates the account at the first login. */
@KitAuthController('login')
export class AcmeLoginController {
  constructor(
    @Inject(ACME) private readonly acme: AcmeOptions,
    @InjectRepository(AcmeIdentity) private readonly identities: Repository<AcmeIdentity>,
    private readonly users: ActiveUserStore,
    private readonly events: AuthEvents,
    private readonly auth: AuthManager,
  ) {}

  @Post('acme')
  @Public()
  @HttpCode(200)
  async logIn(@Req() request: JsonRequest): Promise<object> {
    const { sub, name } = await this.profileOf(readBody({ code: TEXT, verifier: TEXT }, request));
    const known = await this.identities.findOneBy({ subject: sub });
    const userId = known ? known.userId : await this.create(sub, name);
    return this.auth.loginAs(userId, { factors: { acme: Math.floor(Date.now() / 1000) } });
  }

  private async profileOf({ code, verifier }: Record<'code' | 'verifier', string>): Promise<Answer> {
    const { url, ...client } = this.acme;
    const form = { ...client, grant_type: 'authorization_code', code, code_verifier: verifier };
    const exchange = { method: 'POST', body: new URLSearchParams(form) };
    const { access_token: token } = await ask(`${url}/token`, exchange, 'access_token');
    return ask(`${url}/userinfo`, { headers: { Authorization: `Bearer ${token}` } }, 'sub');
  }

  private create(subject: string, nickname: string): Promise<UserId> {
    const username = `acme-${subject}`;
    return this.users.transaction(this.events.begin(), async (change) => {
      const userId = await this.users.createUser({ username, nickname, roles: [] }, change); // without a password
      await (change.transaction as EntityManager).insert(AcmeIdentity, { subject, userId });
      await change.note({ type: 'user-created', subjectId: userId, subject: username });
      return userId;
    });
  }
}

async function ask(url: string, init: RequestInit, needed: keyof Answer): Promise<Answer> {
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(5000) });
  const answer = response.ok ? ((await response.json()) as Answer) : undefined;
  if (!answer?.[needed]) {
    throw new AuthException(AuthErrorCode.LOGIN_FAILED, { message: 'The login with Acme failed, try again' });
  }
  return answer;
}

@Module({
  imports: [TypeOrmModule.forFeature([AcmeIdentity])],
  controllers: [AcmeLoginController],
})
export class AcmeLoginModule {}
