import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ApplicationConfig, DiscoveryModule } from '@nestjs/core';
import { KitAuthAccountController } from './account/account.controller.js';
import { accountApi } from './endpoints/core.api.js';
import { ActingAdministrators } from './administration/acting-administrator.js';
import { FactorCheck } from './fresh/factor.check.js';
import { FreshConfirmation } from './fresh/fresh-confirmation.js';
import { FreshGuesses } from './fresh/fresh-guesses.js';
import { KitAuthLoginController, loginEndpoint } from './account/login.controller.js';
import { LoginWays } from './account/login-ways.js';
import { NewPasswords } from './passwords/new-passwords.js';
import { OwnChanges } from './account/own-changes.js';
import { OwnSessions } from './account/own-sessions.js';
import { PasswordChange } from './account/password-change.js';
import { PasswordPolicy } from './passwords/password.policy.js';
import { SessionEnds } from './account/session-ends.js';
import { ConfigCheck } from './config/config.check.js';
import type { ResolvedOptions } from './config/define-options.js';
import { type KitAuthOptions, kitAuthOptions } from './config/kit-auth.options.js';
import { RequestContextModule } from './context/kit-auth.context.js';
import { MessageContexts } from './context/message-contexts.js';
import { AuthEvents } from './contract/auth-events.js';
import { ErrorTexts } from './contract/error-texts.js';
import { AUTH_FACTOR } from './contract/factor.js';
import { LOGIN_STEP } from './contract/login-step.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from './contract/settings.js';
import { ActiveErrorTexts } from './refusals/active.error-texts.js';
import { AuthExceptionFilter } from './refusals/auth-exception.filter.js';
import { AuthErrorCode } from './errors/auth-error-code.js';
import { describeError } from './errors/describe.js';
import { IllegalStateException } from './errors/auth.exception.js';
import { EventPublisher } from './events/event.publisher.js';
import { AccessChecker, Policies } from './guard/access.checker.js';
import { AuthGuard } from './guard/auth.guard.js';
import { MessageAdmission } from './guard/message.admission.js';
import { FreshLoginChecker } from './guard/fresh-login.checker.js';
import { messageGuards } from './messages/message.guard.js';
import { DeclaredReasons, declareReasons } from './refusals/declared-reasons.js';
import { AUTH_OPERATIONS, OperationIds, type PackageEndpoints } from './endpoints/operations.js';
import { RequestTokens } from './manager/request-tokens.js';
import { TokenReader } from './guard/token.reader.js';
import { StoreFeatures } from './endpoints/store-features.js';
import { BodyErrorModule } from './refusals/body-error.module.js';
import { WellKnownModule } from './endpoints/well-known.js';
import { LoginConfirmation } from './fresh/login.confirmation.js';
import { LoginFlow, TokenIssuer } from './login/login.flow.js';
import { LoginSteps } from './login/login.steps.js';
import { AuthManager } from './manager/auth.manager.js';
import { CurrentLogout } from './manager/current.logout.js';
import { Logout } from './manager/logout.js';
import { TransportExchanges } from './manager/transport.exchanges.js';
import { PasswordCheck, PasswordLogin } from './passwords/password.check.js';
import { ActiveLogins, ActiveProvider } from './ports/active.provider.js';
import { LoginEnds } from './ports/login-ends.js';
import { Factors } from './ports/factors.js';
import { Ports } from './ports/ports.js';
import { RequestExchanges } from './ports/request.exchanges.js';
import { TokenResolver } from './ports/token.resolver.js';
import { FreshLogins, RouteRules } from './routes/route-rules.js';
import { MessageExplorer } from './messages/message.explorer.js';
import { RouteAccessReport } from './route-report/route-access.report.js';
import { ResolverExplorer } from './route-report/resolver.explorer.js';
import { RouteExplorer } from './route-report/route.explorer.js';
import { DefaultAdminSeeder } from './seeding/default-admin.seeder.js';
import { PublicDefaults } from './seeding/public.defaults.js';
import { Counters } from './throttle/counters.js';
import { FactorGuesses } from './throttle/factor.guesses.js';
import { LoginThrottle } from './throttle/login.throttle.js';
import { ActiveUserStore } from './users/active.user-store.js';
import { LoginNames } from './users/login-names.js';
import { PasswordFactor } from './passwords/password.factor.js';
import { PasswordHashing } from './passwords/password.hashing.js';
import { CommandHooks } from './feature/commands/auth-command.js';

type ImportedModule = NonNullable<ModuleMetadata['imports']>[number];

/** The argument of `forRoot()` and `forRootAsync()` besides the options. */
export interface KitAuthModuleExtras {
  /**
   * A module that provides `AUTH_USER_STORE`. Default: the tables `auth_user` and `auth_role` with TypeORM, which is
   * loaded only then. `undefined` is an error (usually a circular import); it does not mean the default.
   */
  users?: ImportedModule;
}

const OPERATIONS: PackageEndpoints = { name: 'kit-auth', endpoints: accountApi };

/** Stands for `users` of applications that do not pass it. */
const DEFAULT_USERS = {} as DynamicModule;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthOptions>()
  .setClassMethodName('forRoot')
  .setExtras<KitAuthModuleExtras>({ users: DEFAULT_USERS }, (definition, { users }) => ({
    ...definition,
    imports: [...(definition.imports ?? []), users === DEFAULT_USERS ? typeOrmUsers() : required(users)],
  }))
  .build();

/**
 * The core: guard, login, users and roles. Import it once, together with one implementation.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ whiteList: ['/v1/public/**'] }),
 *     KitAuthJwtModule,
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Global()
@Module({
  imports: [RequestContextModule, BodyErrorModule, WellKnownModule, DiscoveryModule],
  controllers: [KitAuthLoginController, KitAuthAccountController],
  providers: [
    kitAuthOptions.provider(MODULE_OPTIONS_TOKEN),
    {
      provide: KIT_AUTH_SETTINGS,
      useFactory: ({ settings }: ResolvedOptions<KitAuthSettings>) => settings,
      inject: [kitAuthOptions.token],
    },
    ConfigCheck,
    Ports,
    // The path of a request.
    FreshLogins,
    RouteRules,
    Policies,
    RouteExplorer,
    ResolverExplorer,
    MessageExplorer,
    RouteAccessReport,
    TokenReader,
    RequestExchanges,
    ActiveProvider,
    ActiveLogins,
    LoginEnds,
    TokenResolver,
    RequestTokens,
    Factors,
    FreshLoginChecker,
    AccessChecker,
    MessageContexts,
    MessageAdmission,
    AuthGuard,
    messageGuards,
    { provide: ErrorTexts, useClass: ActiveErrorTexts },
    AuthExceptionFilter,
    // The path of a login.
    ActiveUserStore,
    LoginNames,
    LoginSteps,
    TokenIssuer,
    LoginFlow,
    PasswordHashing,
    PasswordCheck,
    PasswordLogin,
    loginEndpoint,
    StoreFeatures,
    LoginConfirmation,
    Logout,
    TransportExchanges,
    CurrentLogout,
    AuthManager,
    DefaultAdminSeeder,
    PublicDefaults,
    // Features.
    EventPublisher,
    { provide: AuthEvents, useExisting: EventPublisher },
    Counters,
    LoginThrottle,
    { provide: LOGIN_STEP, useExisting: LoginThrottle },
    FactorGuesses,
    PasswordFactor,
    { provide: AUTH_FACTOR, useExisting: PasswordFactor },
    FactorCheck,
    PasswordPolicy,
    LoginWays,
    NewPasswords,
    PasswordChange,
    FreshGuesses,
    FreshConfirmation,
    SessionEnds,
    OwnChanges,
    OwnSessions,
    ActingAdministrators,
    { provide: AUTH_OPERATIONS, useValue: OPERATIONS },
    OperationIds,
    DeclaredReasons,
    declareReasons({
      [AuthErrorCode.BAD_REQUEST]: [
        'password-too-short',
        'password-too-long',
        'password-common',
        'password-has-username',
        'password-unchanged',
        'password-malformed',
      ],
      [AuthErrorCode.TOKEN_INVALID]: [
        'malformed',
        'revoked',
        'logged-out',
        'kicked',
        'password-changed',
        'disabled',
        'idle',
        'replaced',
        'too-many-attempts',
      ],
      [AuthErrorCode.FRESH_LOGIN_REQUIRED]: ['missing', 'expired'],
    }),
  ],
  exports: [
    kitAuthOptions.token,
    KIT_AUTH_SETTINGS,
    RequestContextModule,
    AccessChecker,
    ActingAdministrators,
    ActiveLogins,
    ActiveProvider,
    ActiveUserStore,
    AuthEvents,
    AuthManager,
    Counters,
    DeclaredReasons,
    ErrorTexts,
    FactorGuesses,
    Factors,
    FreshConfirmation,
    FreshLogins,
    LoginConfirmation,
    LoginEnds,
    LoginFlow,
    LoginThrottle,
    LoginWays,
    MessageContexts,
    MessageExplorer,
    NewPasswords,
    OwnChanges,
    PasswordCheck,
    PasswordHashing,
    Ports,
    RequestTokens,
    RouteAccessReport,
    RouteRules,
    SessionEnds,
    TokenReader,
    TokenResolver,
    TransportExchanges,
  ],
})
export class KitAuthModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly hashing: PasswordHashing,
    private readonly seeder: DefaultAdminSeeder,
    private readonly defaults: PublicDefaults,
    private readonly report: RouteAccessReport,
    application: ApplicationConfig,
    guard: AuthGuard,
    filter: AuthExceptionFilter,
  ) {
    super();
    // Here rather than as APP_GUARD and APP_FILTER, because Nest applies them earlier for the root module, and all of them
    // later than this. Guards of the application thus find a user, and its filters are asked before ours.
    application.addGlobalGuard(guard);
    application.addGlobalFilter(filter);
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthOptions & KitAuthModuleExtras = {}): DynamicModule {
    return super.forRoot(options);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      this.defaults.check();
      const seeding = this.seeder.seed();
      const [hasDefaultPassword] = await Promise.all([seeding, this.hashing.learnSlowestHash(seeding)]);
      this.defaults.checkSeeded(hasDefaultPassword);
      this.report.check();
    }
  }
}

/** @throws IllegalStateException if a circular import made the module undefined */
function required(users: ImportedModule | undefined): ImportedModule {
  if (users === undefined) {
    throw new IllegalStateException(
      'The option users of KitAuthModule is undefined. The file of the module that you pass probably imports the file ' +
        'of your AppModule (a circular import), or exports no class of this name. Leave the option out to use the ' +
        'tables of kit-auth.',
    );
  }
  return users;
}

let loadedUsers: Promise<DynamicModule> | undefined;

/** Loads TypeORM for applications that use the default user store, and for no others. */
function typeOrmUsers(): Promise<DynamicModule> {
  loadedUsers ??= import('./typeorm/users/typeorm-users.module.js').then(
    ({ TypeOrmUsersModule: module }) => ({ module }),
    (cause: unknown) => {
      throw new IllegalStateException(
        'KitAuthModule.forRoot() keeps the users with TypeORM, which cannot be loaded. Install typeorm and ' +
          '@nestjs/typeorm (version 11 with Nest 11), or pass KitAuthModule.forRoot({ users: MyUsersModule }): ' +
          describeError(cause),
      );
    },
  );
  return loadedUsers;
}

/**
 * The module of the default user store as applications import it. Undefined until one does. `overrideModule()` of a
 * testing module replaces it, because all applications of the process import the same object.
 */
export function defaultUsersModule(): Promise<DynamicModule> | undefined {
  return loadedUsers;
}
