// The door for packages that need the tables of the core: one-time tokens, and logins that wait for a second factor. It loads TypeORM.

export { AuthOneTime } from './store/one-time/auth-one-time.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './store/one-time/one-time.migrations.js';
export { OneTimeModule } from './store/one-time/one-time.module.js';
export {
  type IssuedToken,
  MAX_DATA_BYTES,
  type NewOneTimeToken,
  type OneTimeToken,
  type OneTimeTokenFilter,
  type PeekedToken,
} from './store/one-time/one-time-token.js';
export { OneTimeTokens } from './store/one-time/one-time.tokens.js';
export {
  bindingsIn,
  bindToBrowser,
  isBoundTo,
  isHashOf,
  unbindBrowser,
} from './store/one-time/browser-binding.js';
export { type CompletingAnswer, SecondFactorLogin } from './store/second-factor/second-factor.login.js';
export { SecondFactorModule } from './store/second-factor/second-factor.module.js';
export { SecondFactorStep } from './store/second-factor/second-factor.step.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
