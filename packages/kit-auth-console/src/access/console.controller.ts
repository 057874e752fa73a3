import { Inject } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type Grants,
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
} from 'kit-auth';
import {
  ActingAdministrators,
  ActiveUserStore,
  type AnswerOf,
  type Call,
  Endpoint,
  forbidden,
  isAdminPermission,
  KitAuthController,
} from 'kit-auth/feature';
import { Factors, summaryOf } from 'kit-auth/login';
import { tagOf } from '../config/catalogs.js';
import {
  consoleOptions,
  type ConsoleSettings,
  type ResolvedConsoleOptions,
} from '../config/console.options.js';
import { version } from '../files/packages.js';
import { ConsoleApplication } from './application.js';
import { consoleApi, type Section, type Verb } from './console.api.js';
import { type Reach, UserReach } from './reach.js';

const OF_USERS = ['users', 'sessions', 'keys'] as const satisfies readonly Section[];

/** Access of an admitted administrator. */
interface Admission {
  readonly grants: Grants;
  readonly allowed: readonly string[];
  readonly sections: Readonly<Record<Section, Verb[]>>;
}

/** Tells the page about the application, and about the rights of its user at this moment. The page hides the rest. */
@KitAuthController()
export class KitAuthConsoleController {
  private readonly settings: ConsoleSettings;
  private readonly version = version();

  constructor(
    @Inject(consoleOptions.token) { settings }: ResolvedConsoleOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly application: ConsoleApplication,
    private readonly administrators: ActingAdministrators,
    private readonly reach: UserReach,
    private readonly users: ActiveUserStore,
    private readonly context: KitAuthContext,
    private readonly factors: Factors,
  ) {
    this.settings = settings;
  }

  @Endpoint(consoleApi, 'GET console')
  async access(): Promise<AnswerOf<typeof consoleApi, 'GET console'>> {
    const user = this.context.getOrThrow();
    const { grants, allowed, sections } = await this.admission();
    const { features } = this.application;
    return {
      user: { ...summaryOf(user), superAdmin: grants.superAdmin },
      permissions: grants.permissions.filter(isAdminPermission),
      sections,
      features,
      allowed,
      idType: this.users.idType,
      freshAdmin: this.application.freshAdmin,
      password: { minLength: this.core.password.minLength },
      languages: this.settings.languages.map(tagOf),
      version: this.version,
    };
  }

  @Endpoint(consoleApi, 'GET console/users/{id}')
  async user({ params }: Call<typeof consoleApi, 'GET console/users/{id}'>): Promise<Reach> {
    const { grants, sections } = await this.admission();
    if (OF_USERS.every((section) => sections[section].length === 0)) {
      throw forbidden('The user has no administrative permission for users');
    }
    return this.reach.of(params.id, grants);
  }

  /** @throws AuthException 40300 for users who may read nothing, 40303 without a second factor that the page requires */
  private async admission(): Promise<Admission> {
    const principal = this.context.principal();
    const grants = await this.administrators.grants();
    const allowed = this.application.allowedFor(grants);
    const sections = this.application.sectionsOf(allowed);
    if (!Object.values(sections).some((verbs) => verbs.includes('read'))) {
      throw forbidden('The user has no administrative permission to read');
    }
    if (this.settings.requireSecondFactor && !(principal && this.factors.isSecondShown(principal.proof))) {
      throw new AuthException(AuthErrorCode.FACTOR_ENROLMENT_REQUIRED);
    }
    return { grants, allowed, sections };
  }
}
