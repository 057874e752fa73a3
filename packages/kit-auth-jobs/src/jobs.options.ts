import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { isObject } from 'kit-auth/tools';

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
const MAX_SECONDS = 30 * UNITS.days;
const AUDIENCE_NAME = /^[a-z][\w.-]{0,31}$/i;
const MEMBERS = [...Object.keys(UNITS), 'needsLogin'];

/** Lifetime: set exactly one unit, from one second to 30 days. */
export interface CarriedAudience {
  readonly seconds?: number;
  readonly minutes?: number;
  readonly hours?: number;
  readonly days?: number;
  /** Also refuses a user whose login has ended since. Default: false. */
  readonly needsLogin?: boolean;
}

/** Audiences by name. A name has 1 to 32 letters, digits and `.`, `_`, `-`, and begins with a letter. */
export type CarriedAudiences = Readonly<Record<string, CarriedAudience>>;

export const jobsOptions = defineOptions(
  'kit.auth.jobs',
  {
    /**
     * Secrets that sign carried users, each at least 32 bytes of UTF-8. Required. All processes that send and
     * receive them need the same.
     *
     * The first one signs, and all of them verify. To replace a secret, append the new one in all processes, move it to the
     * front, and remove the old one when the longest audience has passed. In the environment, secrets are separated by commas.
     * @default none
     */
    keys: Option.secrets(),
    /**
     * The queues or services that users are carried to, each with a lifetime of 1 second to 30 days:
     * `{ reports: { hours: 24 }, billing: { seconds: 60, needsLogin: true } }`. Required.
     *
     * A user who is carried to one audience is refused by all others. If there are several, handlers of messages need
     * `@AsCarriedUser()`. With `needsLogin`, a user is also refused once their
     * login has ended, which needs sessions, or refresh tokens.
     * @default none
     */
    audiences: new Option<CarriedAudiences>({ default: {}, check: audiencesProblem }),
    /**
     * What happens to messages of microservices that carry no user. `'require'`: handlers refuse them with 40100, unless
     * they have `@Public()`. `'allow'`: handlers without access decorators, and without
     * `@AsCarriedUser()`, are called without a user.
     * @default 'require'
     */
    rpc: Option.choice(['require', 'allow'], { default: 'require' }),
  },
  {
    problems: ({ keys, audiences }) => [
      ...(keys === undefined || keys.length === 0
        ? [
            'keys is missing: at least one secret of 32 bytes or more, such as the output of npx kit-auth secret',
          ]
        : []),
      ...(audiences === undefined
        ? ['audiences is missing: who users are carried to, such as { reports: { hours: 24 } }']
        : []),
    ],
  },
);

/** The argument of `KitAuthJobsModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthJobsOptions extends OptionsOf<typeof jobsOptions> {}
export type JobsSettings = SettingsOf<typeof jobsOptions>;
export type ResolvedJobsOptions = ResolvedOptions<JobsSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthJobsModule`, which its `forRoot()` overrides key by key. */
    jobs?: KitAuthJobsOptions | undefined;
  }
}

/** The lifetime of an audience. */
export function secondsOf(audience: CarriedAudience): number {
  const [[unit, count]] = unitsOf(audience) as [[keyof typeof UNITS, number]];
  return count * UNITS[unit];
}

function unitsOf(audience: object): [string, unknown][] {
  return Object.entries(audience).filter(([member, value]) => member in UNITS && value !== undefined);
}

function audiencesProblem(value: unknown): string | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) {
    return 'must be an object with at least one audience, such as { reports: { hours: 24 } }';
  }
  if (!Object.keys(value).every((name) => AUDIENCE_NAME.test(name))) {
    return 'must have names of 1 to 32 letters, digits and . _ -, of which the first is a letter';
  }
  return Object.entries(value)
    .map(([name, audience]) => [name, audienceProblem(audience)] as const)
    .filter(([, problem]) => problem !== undefined)
    .map(([name, problem]) => `${problem}: ${name} does not`)[0];
}

function audienceProblem(audience: unknown): string | undefined {
  if (!isObject(audience) || !Object.keys(audience).every((member) => MEMBERS.includes(member))) {
    return `must have audiences with the members ${MEMBERS.join(', ')} only`;
  }
  const units = unitsOf(audience);
  const isWhole = units.length === 1 && units.every(([, count]) => Number.isSafeInteger(count));
  const seconds = isWhole ? secondsOf(audience) : 0;
  if (seconds < 1 || seconds > MAX_SECONDS) {
    return 'must have audiences with one whole number of seconds, minutes, hours or days, from 1 second to 30 days';
  }
  return ['boolean', 'undefined'].includes(typeof audience['needsLogin'])
    ? undefined
    : 'must have audiences whose needsLogin is the boolean true or false';
}
