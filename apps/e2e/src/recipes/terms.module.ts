import { HttpCode, Injectable, Module, Post, Req, Res } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { AuthException, LOGIN_STEP, type LoginAttempt, type LoginProof, type LoginStep } from 'kit-auth';
import { Public, type UserId, type VerifiedLogin } from 'kit-auth';
import {
  ActiveUserStore,
  invalidLink,
  type JsonRequest,
  KitAuthController,
  readBody,
  TEXT,
} from 'kit-auth/feature';
import { LoginFlow, TransportExchanges } from 'kit-auth/login';
import { OneTimeModule, OneTimeTokens } from 'kit-auth/store';
import { Entity, PrimaryColumn, type Repository } from 'typeorm';

declare module 'kit-auth' {
  interface OwnErrorCodes {
    TERMS_NOT_ACCEPTED: 40350;
  }
}

/** Who has accepted the terms of service. */
@Entity('accepted_terms')
export class AcceptedTerms {
  @PrimaryColumn({ type: Number })
  userId!: UserId;
}

/** What `LoginFlow.resume()()` needs of a login, besides its user and stamp. */
type Kept = Pick<LoginAttempt, 'first'> & Pick<VerifiedLogin, 'passed'> & { proof: LoginProof };

/** Stops logins of users who have not accepted the terms of service. */
@Injectable()
export class TermsStep implements LoginStep {
  constructor(
    @InjectRepository(AcceptedTerms) private readonly accepted: Repository<AcceptedTerms>,
    private readonly tokens: OneTimeTokens,
  ) {}

  async afterFirstFactor(
    { user: { userId }, stamp, proof, passed = [] }: VerifiedLogin,
    { first }: LoginAttempt,
  ): Promise<undefined> {
    if (await this.accepted.existsBy({ userId })) {
      return;
    }
    const data: Kept = { first, passed, proof };
    const { token } = await this.tokens.issue({ purpose: 'terms', userId, stamp, data, ttlSeconds: 600 });
    throw new AuthException(40350, {
      error: 'TERMS_NOT_ACCEPTED',
      message: 'Accept the terms of service first',
      details: { challenge: token },
    });
  }
}

@KitAuthController('login')
export class TermsController {
  constructor(
    @InjectRepository(AcceptedTerms) private readonly accepted: Repository<AcceptedTerms>,
    private readonly tokens: OneTimeTokens,
    private readonly users: ActiveUserStore,
    private readonly flow: LoginFlow,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('terms')
  @Public()
  @HttpCode(200)
  async accept(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { challenge } = readBody({ challenge: TEXT }, request);
    const { userId, data, stamp } = await this.tokens.peek('terms', challenge);
    const { first, passed = [], proof } = data as Kept;
    const begun = { ...this.flow.begin(first, request), first };
    const user = userId && (await this.users.loadLoginUser(userId));
    if (!user) {
      throw invalidLink();
    }
    await this.tokens.claim('terms', challenge, undefined);
    await this.accepted.upsert({ userId: user.userId }, ['userId']);
    const attempt = { ...begun, username: user.username };
    const answer = await this.flow.resume({ user, stamp, proof, passed }, attempt);
    return this.exchanges.write(answer, request, response);
  }
}

@Module({
  imports: [OneTimeModule, TypeOrmModule.forFeature([AcceptedTerms])],
  controllers: [TermsController],
  providers: [TermsStep, { provide: LOGIN_STEP, useExisting: TermsStep }],
})
export class TermsModule {}
