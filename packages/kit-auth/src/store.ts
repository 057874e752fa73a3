// The door for packages that need the tables of the core: one-time tokens, and logins that wait for a second factor. It loads TypeORM.

export { AuthOneTime } from './one-time/auth-one-time.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './one-time/one-time.migrations.js';
export { OneTimeModule } from './one-time/one-time.module.js';
export {
  type IssuedToken,
  MAX_DATA_BYTES,
  type NewOneTimeToken,
  type OneTimeToken,
  type OneTimeTokenFilter,
  type PeekedToken,
} from './one-time/one-time-token.js';
export { OneTimeTokens } from './one-time/one-time.tokens.js';
export { bindingsIn, bindToBrowser, isBoundTo, isHashOf, unbindBrowser } from './one-time/browser-binding.js';
export { type CompletingAnswer, SecondFactorLogin } from './second-factor/second-factor.login.js';
export { SecondFactorModule } from './second-factor/second-factor.module.js';
export { SecondFactorStep } from './second-factor/second-factor.step.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
