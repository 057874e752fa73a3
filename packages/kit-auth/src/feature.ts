// The door for packages: a manifest, endpoints, what users own.

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
  described,
  EMAIL,
  FLAG,
  INTEGER,
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
export { SESSION } from './account/account.api.js';
/** What users own. */
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
