import { Injectable } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { AuthException, type LoginAttempt, type LoginProof, type LoginStep } from 'kit-auth';
import { AuthErrorCode, type UserId, type VerifiedLogin } from 'kit-auth';
import {
  ActiveUserStore,
  authFeature,
  type Call,
  Endpoint,
  endpoints,
  invalidLink,
  KitAuthController,
  TEXT,
} from 'kit-auth/feature';
import { type LoginAnswer, LoginFlow } from 'kit-auth/login';
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

/** The parts of a login that `LoginFlow.resume()` needs besides its user and stamp. */
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

const termsApi = endpoints({
  'POST login/terms': {
    id: 'acceptTerms',
    summary: 'Accepts the terms of service, and completes the login',
    isPublic: true,
    body: { challenge: TEXT },
    login: true,
    status: 200,
    errors: [AuthErrorCode.LINK_INVALID],
  },
});

@KitAuthController()
export class TermsController {
  constructor(
    @InjectRepository(AcceptedTerms) private readonly accepted: Repository<AcceptedTerms>,
    private readonly tokens: OneTimeTokens,
    private readonly users: ActiveUserStore,
    private readonly flow: LoginFlow,
  ) {}

  @Endpoint(termsApi, 'POST login/terms')
  async accept({
    body: { challenge },
    request,
  }: Call<typeof termsApi, 'POST login/terms'>): Promise<LoginAnswer> {
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
    return this.flow.resume({ user, stamp, proof, passed }, attempt);
  }
}

export class TermsModule extends authFeature('terms', {
  imports: [OneTimeModule, TypeOrmModule.forFeature([AcceptedTerms])],
  endpoints: termsApi,
  controllers: [TermsController],
  steps: [TermsStep],
}) {}
