import { Get, Header, Inject, Param } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type Grants,
  hasPermission,
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
} from 'kit-auth';
import {
  ActingAdministrators,
  ActiveUserStore,
  Factors,
  forbidden,
  isAdminPermission,
  KitAuthController,
  summaryOf,
} from 'kit-auth/extend';
import { tagOf } from '../config/catalogs.js';
import {
  consoleOptions,
  type ConsoleSettings,
  type ResolvedConsoleOptions,
} from '../config/console.options.js';
import { version } from '../files/packages.js';
import { ConsoleApplication } from './application.js';
import { type Reach, UserReach } from './reach.js';
import { ADMINISTRATIVE, type Section, SECTIONS, type Verb } from './endpoints.js';

const OF_USERS = ['users', 'sessions', 'keys'] as const satisfies readonly Section[];
const VERBS = ['read', 'write', 'end'] as const satisfies readonly Verb[];

/** What a user may do who has come in. */
interface Entered {
  readonly grants: Grants;
  readonly allowed: readonly string[];
  readonly sections: Readonly<Record<Section, Verb[]>>;
}

/** What the application can do, and what this user may do at this moment. The page hides the rest. */
@KitAuthController('console')
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

  @Get()
  @Header('Cache-Control', 'no-store')
  async access(): Promise<object> {
    const user = this.context.getOrThrow();
    const { grants, allowed, sections } = await this.entered();
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

  @Get('users/:id')
  @Header('Cache-Control', 'no-store')
  async user(@Param('id') id: string): Promise<Reach> {
    const { grants, sections } = await this.entered();
    if (OF_USERS.every((section) => sections[section].length === 0)) {
      throw forbidden('The user has no administrative permission for users');
    }
    return this.reach.of(id, grants);
  }

  private async entered(): Promise<Entered> {
    const principal = this.context.principal();
    const grants = await this.administrators.grants();
    const allowed = this.application.features.filter((feature) =>
      this.application.needsOf(feature).every((permission) => hasPermission(grants, permission)),
    );
    const sections = sectionsOf(allowed);
    if (!Object.values(sections).some((verbs) => verbs.includes('read'))) {
      throw forbidden('The user has no administrative permission to read');
    }
    if (this.settings.requireSecondFactor && !(principal && this.factors.isSecondShown(principal.proof))) {
      throw new AuthException(AuthErrorCode.FACTOR_ENROLMENT_REQUIRED);
    }
    return { grants, allowed, sections };
  }
}

/** What the user may do in each section. */
function sectionsOf(allowed: readonly string[]): Record<Section, Verb[]> {
  const entries = allowed.flatMap((feature) => ADMINISTRATIVE[feature] ?? []);
  const verbsOf = (section: Section) =>
    VERBS.filter((verb) => entries.some((it) => it.section === section && it.verb === verb));
  return Object.fromEntries(SECTIONS.map((section) => [section, verbsOf(section)])) as Record<
    Section,
    Verb[]
  >;
}
