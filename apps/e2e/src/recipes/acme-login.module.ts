import { HttpCode, Inject, Injectable, Module, Post, Req } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { AuthErrorCode, AuthEvents, AuthException, AuthManager, Public, type UserId } from 'kit-auth';
import { ActiveUserStore, type JsonRequest, KitAuthController, readTexts } from 'kit-auth/extend';
import { Column, Entity, type EntityManager, PrimaryColumn, type Repository } from 'typeorm';

/** Options of the provider: its address, and what it knows your application by. */
export const ACME = Symbol('acme');
export type AcmeOptions = Record<'url' | 'client_id' | 'client_secret' | 'redirect_uri', string>;

/** Which account a user of the provider has. */
@Entity('acme_identity')
export class AcmeIdentity {
  @PrimaryColumn()
  subject!: string;

  @Column()
  userId!: number;
}

@Injectable()
export class AcmeAccounts {
  constructor(
    @Inject(ACME) private readonly acme: AcmeOptions,
    @InjectRepository(AcmeIdentity) private readonly identities: Repository<AcmeIdentity>,
    private readonly users: ActiveUserStore,
    private readonly events: AuthEvents,
  ) {}

  /** The account of the user to whom the provider gave this code. Creates it at the first login. */
  async userIdOf(code: string, verifier: string): Promise<UserId> {
    const { url, ...client } = this.acme;
    const form = { ...client, grant_type: 'authorization_code', code, code_verifier: verifier };
    const { access_token: token } = await ask(`${url}/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const { sub, name } = await ask(`${url}/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
    const known = sub && (await this.identities.findOneBy({ subject: sub }));
    return known ? known.userId : this.create(String(sub), String(name));
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

async function ask(url: string, init: RequestInit): Promise<Partial<Record<string, string>>> {
  const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(5000) });
  if (!answer.ok) {
    const message = 'The login with Acme failed, try again';
    throw new AuthException(AuthErrorCode.LOGIN_FAILED, { message });
  }
  return (await answer.json()) as Partial<Record<string, string>>;
}

@KitAuthController('login')
export class AcmeLoginController {
  constructor(
    private readonly accounts: AcmeAccounts,
    private readonly auth: AuthManager,
  ) {}

  @Post('acme')
  @Public()
  @HttpCode(200)
  async logIn(@Req() request: JsonRequest): Promise<object> {
    const { code, verifier } = readTexts(request, ['code', 'verifier']);
    const userId = await this.accounts.userIdOf(code, verifier);
    return this.auth.loginAs(userId, { factors: { acme: Math.floor(Date.now() / 1000) } });
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([AcmeIdentity])],
  controllers: [AcmeLoginController],
  providers: [AcmeAccounts],
})
export class AcmeLoginModule {}
