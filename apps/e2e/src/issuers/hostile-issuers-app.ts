import { Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import {
  AUTH_USER_STORE,
  type AuthUserStore,
  KitAuthContext,
  KitAuthModule,
  type LoginProof,
  type LoginUser,
  RequirePermissions,
} from 'kit-auth';
import { KitAuthIssuersModule, type KitAuthIssuersOptions } from 'kit-auth-issuers';
import { bodyOf, TestApp, type TestAppOptions } from 'test-support';

/** Users with ids that are strings, as users from claims have. */
@Injectable()
class StringUsers implements AuthUserStore {
  readonly idType = 'string';

  async loadLoginUser(): Promise<LoginUser | undefined> {
    return undefined;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: StringUsers }] })
class StringUsersModule {}

@Controller('v1/notes')
class NotesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  list() {
    const { scheme, proof, user } = this.context.principal()!;
    return { scheme, ...proof, ...user };
  }

  @Post()
  create() {
    return this.list();
  }

  @Get('all')
  @RequirePermissions('note:read')
  all() {
    return {};
  }
}

export interface HostileIssuersAppOptions extends TestAppOptions {
  /** Called at start-up, when the issuers have their ports. */
  issuers: () => KitAuthIssuersOptions;
}

/** An application that accepts tokens of issuers which do what a test wants. */
export class HostileIssuersApp extends TestApp {
  constructor({ issuers, options, ...more }: HostileIssuersAppOptions) {
    super(
      { database: false, ...more, core: KitAuthModule.forRoot({ users: StringUsersModule, ...options }) },
      {
        imports: [KitAuthIssuersModule.forRootAsync({ useFactory: issuers })],
        controllers: [NotesController],
      },
    );
  }

  /** `live`, or the code and the reason of the refusal. */
  override stateOf(token: string, target = '/v1/notes'): Promise<string> {
    return super.stateOf(token, target);
  }

  /** The user of a token. */
  async userOf(token: string): Promise<LoginUser & LoginProof & { readonly scheme: string }> {
    return bodyOf(await this.request('/v1/notes', { token }));
  }
}
