import type { ValueProvider } from '@nestjs/common';
import {
  AuthManager,
  KitAuthContext,
  type LoginProof,
  type LoginResult,
  type LoginUser,
  type Principal,
} from 'kit-auth';
import { freezeData, summaryOf } from 'kit-auth/login';
import { type TestUser, testUser } from './test-user.js';

export interface UnitTestOptions {
  /** The current user. Omitted properties get defaults, as in `testUser()`. Default: no user. */
  user?: TestUser | undefined;
  /** How the user has logged in. Default: `{ factors: { password: <now> } }`. */
  proof?: LoginProof | undefined;
}

/**
 * Providers for unit tests of controllers and services that inject `KitAuthContext` or `AuthManager`. They need no module,
 * no request and no database. Guards are not called, because a unit test calls methods.
 *
 * `KitAuthContext` has the user wherever `KitAuthContext.run()` does not set another one. Every login of `AuthManager`
 * succeeds, and is that of the user. To test a refusal, replace the method, for example with `jest.spyOn()`.
 *
 * @example
 * const module = await Test.createTestingModule({
 *   controllers: [NotesController],
 *   providers: [NotesService, ...kitAuthProviders({ user: { username: 'ada', roles: ['editor'] } })],
 * }).compile();
 * expect(module.get(NotesController).mine()).toEqual([]);
 */
export function kitAuthProviders({ user, proof }: UnitTestOptions = {}): ValueProvider[] {
  const current = user && frozen(testUser(user));
  return [
    { provide: KitAuthContext, useValue: new UnitTestContext(current, proof) },
    { provide: AuthManager, useValue: new UnitTestManager(current) },
  ];
}

const TOKEN = 'the token of a unit test';

class UnitTestContext extends KitAuthContext {
  private readonly own: Principal | undefined;

  constructor(
    user: LoginUser | undefined,
    proof: LoginProof = { factors: { password: Math.floor(Date.now() / 1000) } },
  ) {
    super();
    this.own = user && { user, proof, scheme: 'testing', token: TOKEN };
  }

  override get(): LoginUser | undefined {
    return super.get() ?? this.own?.user;
  }

  override getOrThrow(): LoginUser {
    return this.get() ?? super.getOrThrow();
  }

  override principal(): Principal | undefined {
    return super.get() === undefined ? this.own : super.principal();
  }
}

/** The methods of `AuthManager`, without an implementation behind them. */
class UnitTestManager implements Pick<AuthManager, keyof AuthManager> {
  constructor(private readonly user: LoginUser | undefined) {}

  async login(): Promise<LoginResult> {
    return this.answer('login');
  }

  async loginWithPassword(): Promise<LoginResult & Readonly<Record<string, unknown>>> {
    return { ...this.answer('loginWithPassword') };
  }

  async loginAs(): Promise<LoginResult & Readonly<Record<string, unknown>>> {
    return { ...this.answer('loginAs') };
  }

  async getLoginUser(): Promise<LoginUser> {
    return this.userFor('getLoginUser');
  }

  async logout(): Promise<void> {}

  private answer(method: keyof AuthManager): LoginResult {
    return { token: TOKEN, user: summaryOf(this.userFor(method)) };
  }

  private userFor(method: keyof AuthManager): LoginUser {
    if (this.user === undefined) {
      throw new Error(
        `AuthManager.${method}() has no user in this unit test. Pass one, kitAuthProviders({ user: { username: 'ada' } }), or ` +
          `replace the method. For real logins, use KitAuthTestingModule.`,
      );
    }
    return this.user;
  }
}

function frozen(user: LoginUser): LoginUser {
  Object.freeze(user.roles);
  Object.freeze(user.permissions);
  freezeData(user.data);
  return Object.freeze(user);
}
