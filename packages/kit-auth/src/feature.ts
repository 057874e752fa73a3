// The door for packages: a manifest, endpoints and their schemas, options, refusals, users and administrators.

/** The manifest of a package. */
export { authFeature, type FeatureDefinition, type FeatureModule } from './feature/auth-feature.js';
/** Endpoints. */
export {
  type AnswerOf,
  type Api,
  type Call,
  Endpoint,
  type EndpointDeclaration,
  endpoints,
  type GotLogin,
  type GotOf,
  handledBy,
  type SentOf,
} from './endpoints/endpoint.js';
export type { Additions } from './endpoints/operations.js';
/** Reads one of several bodies of an endpoint with `readsBody`. */
export { readBody } from './endpoints/body.js';
/** Values in bodies, queries and answers. */
export {
  BOOLEAN,
  choice,
  type DescribedApplication,
  described,
  DEVICE_NAME,
  EMAIL,
  FLAG,
  INTEGER,
  type JsonSchema,
  list,
  NAME,
  object,
  optional,
  type OptionalSchema,
  orNull,
  parsed,
  PASSWORD,
  REMEMBER,
  type Schema,
  type ServerOf,
  type Shape,
  TEXT,
  text,
  TIME,
  value,
  type WireOf,
} from './endpoints/schema.js';
/** A session in answers. */
export { SESSION } from './endpoints/core.api.js';
/** Belongings of users, such as API keys. */
export {
  type Belongings,
  belongings,
  type BelongingsDefinition,
  type BelongingsOf,
  type OwnedApi,
} from './feature/belongings.js';
export {
  OwnedBelongings,
  type OwnedItem,
  type OwnedStore,
  type Removal,
} from './feature/owned-belongings.js';
export type { OwnedCommands } from './feature/owned-commands.js';
/** A controller under `/v1/api/auth`. */
export { KitAuthController } from './endpoints/controller.js';
/** A controller under `/.well-known`, whatever the global prefix is. */
export { WellKnownController } from './endpoints/well-known.js';
/** A controller of an open page, and strings in its HTML. */
export { escapeHtml, OwnPageController } from './endpoints/own-page.js';
/** Read JSON bodies without a pipe of the application. */
export { type JsonRequest, readJsonObject } from './endpoints/json-body.js';
/** Reads a form, which clients of protocols such as OAuth send. */
export { formTextOf } from './endpoints/json-body.js';
/** Endpoints that an option, or a method of the user store, switches on. */
export { endpointsIf, endpointsIfStoreHas } from './endpoints/optional-endpoints.js';
/** Reads a cookie of a request. */
export { cookiesIn } from './endpoints/cookies.js';
/** Admits users who have to set up a second factor or a new password first, and those who act as a user. */
export { BeforeEnrolment, BeforePasswordChange, ForActors } from './routes/require.decorators.js';
/** Finds access decorators where they have no effect. */
export { requirementsOn } from './routes/require.decorators.js';
/** The endpoints of a module without a manifest. */
export { AUTH_OPERATIONS, type PackageEndpoints } from './endpoints/operations.js';
/** Refusals, each with one code. */
export {
  badRequest,
  conflict,
  forbidden,
  invalidLink,
  invalidToken,
  notFound,
  unavailable,
} from './errors/auth.exception.js';
/** Declare the reasons of errors, and read those of all modules. */
export { DeclaredReasons, declareReasons } from './refusals/declared-reasons.js';
/** Count attempts of your own kind, such as codes or mails. */
export { tooManyAttempts } from './throttle/counters.js';
/** The user store of the application. */
export { ActiveUserStore } from './users/active.user-store.js';
/** Email addresses. */
export { type Address, parseAddress } from './users/address.js';
/** Display names. */
export { isDisplayName, nicknameFrom } from './users/display-name.js';
/** The authority of an administrator in a request. */
export { type ActingAdministrator, ActingAdministrators } from './administration/acting-administrator.js';
export { AdminAuthority, areAdministrative, isAdminPermission } from './administration/admin-authority.js';
/** The role that nothing but an administrator may grant. */
export { SUPER_ADMIN } from './users/stored-users.js';
/** Switches `@RequireFresh()` off for controllers of a package. */
export { FreshLogins } from './routes/route-rules.js';
/** For sinks that react to changes only. */
export { ATTEMPT_EVENTS } from './contract/auth-event.js';
/** The detail of events about the roles of a user. */
export { rolesDetail } from './events/roles-detail.js';
/** Define the options of a package. */
export {
  defineOptions,
  type OptionsDefinition,
  type OptionsOf,
  ResolvedOptions,
  type SettingsOf,
} from './config/define-options.js';
export { Option, type OptionsIn, type SettingsIn, type Switchable } from './config/option.js';
/** Contributions to the ports of the core and of packages. */
export { Ports } from './ports/ports.js';
/** Checks of `npx kit-auth doctor`. */
export { DOCTOR_CHECK, type DoctorCheck, type DoctorFinding } from './feature/commands/doctor-check.js';
/** Runs the hooks of a module in commands of `npx kit-auth`. */
export { CommandHooks } from './feature/commands/auth-command.js';
/** A day in the output of a command. */
export { dayOf } from './feature/commands/auth-command.js';
/** Finds the users of identities that `kit-auth-oidc` has linked. */
export { AUTH_IDENTITIES, type AuthIdentities } from './contract/auth-identities.js';
/** Metadata of decorators that survives wrappers of handlers. */
export { decoratedTarget } from './routes/decorated-method.js';
export { decoratedMethodOf } from './routes/decorated-method.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
