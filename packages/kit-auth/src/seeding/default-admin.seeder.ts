import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type EntityTarget, Repository } from 'typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { BUILT_IN_ADMIN_PASSWORD } from '../config/option-table.js';
import { describeError } from '../errors/describe-error.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { AuthRole, SUPER_ADMIN } from '../users/typeorm/auth-role.entity.js';
import { AuthUser, AuthUserStatus, newSecurityStamp } from '../users/typeorm/auth-user.entity.js';
import { PasswordHasher } from '../users/password.hasher.js';
import { isUnusableText } from '../users/typeorm/unusable-text.js';

const ATTEMPTS = 3;

/**
 * Creates the default administrator once the application is ready. Where somebody
 * holds `SUPER_ADMIN` already, whatever their name, password or status, nothing is touched.
 */
@Injectable()
export class DefaultAdminSeeder implements OnApplicationBootstrap {
  private readonly logger = new Logger('KitAuth');

  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly hasher: PasswordHasher,
  ) {}

  /** @throws IllegalStateException when the tables cannot be read or written */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.settings.enabled) {
      return;
    }
    const started = performance.now();
    const hasDefaultPassword = await this.seedOrFail();
    const took = Math.round(performance.now() - started);
    this.logger.debug(`[auth] default administrator initialization finished, took ${took}ms`);
    if (hasDefaultPassword) {
      this.logger.warn(
        '[auth] the administrator still has the built-in default password; change it, and override ' +
          'kit.auth.defaultAdminPassword in production',
      );
    }
  }

  /** Other instances may be at the same work: a lost race or a deadlock is looked at afresh. */
  private async seedOrFail(): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.seed();
      } catch (cause) {
        if (isUnusableText(cause)) {
          throw new IllegalStateException(
            `The database cannot hold kit.auth.defaultAdminUsername (${describeError(cause)}): choose another name, or ` +
              'give the database a character set for all of Unicode.',
            { cause },
          );
        }
        if (attempt === ATTEMPTS) {
          throw new IllegalStateException(
            `The default administrator could not be looked up or created (${describeError(cause)}). The data ` +
              'source needs the tables auth_user, auth_role and auth_user_role: pass autoLoadEntities: true to ' +
              'TypeOrmModule.forRoot(), and create them with a migration or, in development, synchronize: true.',
            { cause },
          );
        }
      }
    }
  }

  /** @returns whether the administrator has the built-in default password */
  private async seed(): Promise<boolean> {
    const { defaultAdminUsername: username, defaultAdminPassword: password } = this.settings;
    const administrator = await this.findAdministrator();
    if (administrator !== undefined) {
      return this.hasher.verify(BUILT_IN_ADMIN_PASSWORD, administrator.passwordHash);
    }
    const unbound = await this.selectWithHash().where('user.username = :username', { username }).getOne();
    if (unbound !== null && !(await this.hasher.verify(password, unbound.passwordHash))) {
      this.logger.warn(
        '[auth] there is no administrator: the account named kit.auth.defaultAdminUsername is not bound to ' +
          'SUPER_ADMIN, and it is not bound now because it does not have the password kit.auth.defaultAdminPassword',
      );
      return false;
    }
    const passwordHash = unbound?.passwordHash ?? (await this.hasher.hash(password));
    const bound = await this.users.manager.transaction((manager) =>
      this.bind(manager, username, passwordHash),
    );
    if (!bound) {
      throw new Error('another instance was at the same work');
    }
    if (unbound === null) {
      this.logger.debug(`[auth] default administrator account created: ${username}`);
    }
    return password === BUILT_IN_ADMIN_PASSWORD;
  }

  private async findAdministrator(): Promise<AuthUser | undefined> {
    const administrator = await this.selectWithHash()
      .innerJoin('user.roles', 'role', 'role.code = :code', { code: SUPER_ADMIN })
      // The seeded one, as far as its name tells; else the first.
      .orderBy('CASE WHEN user.username = :username THEN 0 ELSE 1 END')
      .addOrderBy('user.id')
      .setParameter('username', this.settings.defaultAdminUsername)
      .limit(1)
      .getOne();
    return administrator ?? undefined;
  }

  private selectWithHash() {
    return this.users.createQueryBuilder('user').addSelect('user.passwordHash');
  }

  /**
   * Writes before it reads: the first write takes the locks (SQLite) and waits for another instance's transaction
   * (unique indexes), so that what is read afterwards is the outcome.
   *
   * @returns false when the account of that name is not the one with this hash
   */
  private async bind(manager: EntityManager, username: string, passwordHash: string): Promise<boolean> {
    await insertUnlessPresent(manager, AuthRole, {
      code: SUPER_ADMIN,
      name: 'Super administrator',
      permissions: [],
    });
    await insertUnlessPresent(manager, AuthUser, {
      username,
      nickname: username,
      passwordHash,
      status: AuthUserStatus.ENABLED,
      securityStamp: newSecurityStamp(),
    });
    const user = await manager.findOneBy(AuthUser, { username, passwordHash });
    if (user === null) {
      return false;
    }
    const role = await manager.findOneByOrFail(AuthRole, { code: SUPER_ADMIN });
    const junction = manager.dataSource.getMetadata(AuthUser).findRelationWithPropertyPath('roles');
    await insertUnlessPresent(manager, junction?.junctionEntityMetadata?.tablePath as string, {
      userId: user.id,
      roleId: role.id,
    });
    return true;
  }
}

async function insertUnlessPresent(
  manager: EntityManager,
  into: EntityTarget<object>,
  row: object,
): Promise<void> {
  await manager.createQueryBuilder().insert().into(into).values(row).orIgnore().updateEntity(false).execute();
}
