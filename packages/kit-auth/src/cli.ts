// The entry for kit-auth-cli, the command line. Applications and other packages do not need it.

// ---- Commands of modules

/** Finds the contributions to a port in an application whose hooks have not run, and checks their methods. */
export { contributionsTo } from './ports/contribution.js';
export { usable } from './ports/port.check.js';
/** Whether the hooks of a module run in commands. */
export { hasCommandHooks } from './feature/commands/auth-command.js';
/** The nearest word, for suggestions. */
export { nearest } from './config/nearest.js';

// ---- `routes` and `explain`

/** A decision in words. */
export { asksForMore, described, needOf, textOf } from './route-report/route-access.js';
export type { RouteRule } from './routes/route-rule.js';
/** Find the route of a path, as the rules do. */
export { ANY, AntPattern, matchesAllPaths, REST, type RouteSegment } from './routes/ant-pattern.js';
export { isLiteral, plainPath, segmentsOf } from './routes/paths.js';
/** Messages of the codes that `explain` names. */
export { AUTH_ERROR_MESSAGES } from './errors/auth-error-code.js';

// ---- `doctor`

/** The options of all packages, and the environment variable of each. */
export { allDefinitions, type OptionRow, variableOf } from './config/define-options.js';
/** Options without an effect. */
export { ConfigCheck } from './config/config.check.js';
/** Defaults that an attacker can read in the source code. */
export { ADMIN_PASSWORD_KEY, PublicDefaults } from './seeding/public.defaults.js';
export { BUILT_IN_ADMIN_PASSWORD } from './config/kit-auth.options.js';
/** Compare and judge the password of the administrator. */
export { PasswordHashing } from './passwords/password.hashing.js';
export { PasswordPolicy } from './passwords/password.policy.js';
/** Also an export of `kit-auth/typeorm`, which loads TypeORM. */
export { SUPER_ADMIN } from './users/stored-users.js';
