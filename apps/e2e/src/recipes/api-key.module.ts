import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Module, Post } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import {
  AUTH_CREDENTIAL,
  type AuthCredential,
  AuthErrorCode,
  AuthException,
  CurrentUser,
  type LoginUser,
  type Principal,
  type RequestedRoute,
  type ResolvedLogin,
} from 'kit-auth';
import { ActiveUserStore, KitAuthController } from 'kit-auth/feature';
import { Column, Entity, PrimaryColumn, Repository } from 'typeorm';

const PREFIX = 'shop_key_';

@Entity({ name: 'api_key' })
export class ApiKey {
  /** The SHA-256 hash of the key. A leaked table contains no usable key. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash!: string;

  @Column({ type: 'integer' })
  userId!: number;
}

@Injectable()
export class ApiKeyCredential implements AuthCredential {
  readonly prefix = PREFIX;
  readonly scheme = 'api-key'; // KitAuthContext.principal().scheme in handlers

  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly users: ActiveUserStore,
  ) {}

  /** Called for each token that begins with the prefix. */
  async resolve(token: string): Promise<ResolvedLogin> {
    const key = await this.keys.findOneBy({ hash: hashOf(token) });
    const owner = key && (await this.users.loadLoginUser(key.userId)); // undefined if disabled or deleted
    if (!owner) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID);
    }
    // A key has the permissions of its owner, but it is not an administrator.
    const user = { ...owner, superAdmin: false, roles: [] };
    return { user, proof: { factors: { key: Math.floor(Date.now() / 1000) } } };
  }

  /** Optional: decides whether a key may call this route at all. The requirements of the route are checked afterwards. */
  authorize(_principal: Principal, { requirements }: RequestedRoute): void {
    if (!requirements.some(({ kind }) => kind === 'permission')) {
      throw new AuthException(AuthErrorCode.KEY_NOT_ALLOWED);
    }
  }
}

/** `POST /v1/api/auth/keys` returns a new key. It is shown only once. */
@KitAuthController('keys')
export class ApiKeyController {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  @Post()
  async create(@CurrentUser() { userId }: LoginUser): Promise<{ key: string }> {
    const key = PREFIX + randomBytes(32).toString('base64url');
    await this.keys.insert({ hash: hashOf(key), userId });
    return { key };
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

@Module({
  imports: [TypeOrmModule.forFeature([ApiKey])],
  controllers: [ApiKeyController],
  providers: [{ provide: AUTH_CREDENTIAL, useClass: ApiKeyCredential }],
})
export class ApiKeyModule {}
