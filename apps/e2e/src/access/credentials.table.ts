/** Rules that every kind of credential has to be decided for. */
export const RULES = {
  '40301': 'the user has to choose a new password',
  '40303': 'the user has a role in `requiredFor`, and showed no second factor',
  requiredFor: 'the user has such a role, and showed a second factor',
  '40120': '`@RequireFresh()`, after its time',
  '40304': 'a route without a permission',
  'of the packages': 'an endpoint of the packages, such as `GET keys`',
  checkStamp: 'the roles of the user have changed since, with `checkStamp`',
  actor: 'an administrator acts as the user (`proof.actor`)',
} as const;

export type Rule = keyof typeof RULES;

/**
 * `admitted`, `admitted with the actor`, the code and the reason of the refusal, or the code and the reason with which a socket
 * is closed. `—` where the rule has no form.
 */
export type Outcome = string;

export interface Decision {
  /** Over HTTP and a socket, or in a message and a job. */
  readonly outcomes: readonly [Outcome, Outcome];
  readonly why: string;
}

export interface Credential {
  readonly title: string;
  /** What it calls routes with. */
  readonly ways: 'HTTP and socket' | 'message and job';
  /** The providers of the packages that resolve it, as module and token. */
  readonly contributions: readonly string[];
  readonly decisions: { readonly [Name in Rule]: Decision };
}

const cell = (first: Outcome, second: Outcome, why: string): Decision => ({ outcomes: [first, second], why });
const both = (outcome: Outcome, why: string): Decision => cell(outcome, outcome, why);

const ADMITTED = 'admitted';
const ACTOR = 'admitted with the actor';
const NONE = '—';

/** What all logins have in common. */
const OF_LOGINS = {
  '40301': cell('40301', '4403 forbidden', 'Somebody else may know the password.'),
  '40303': cell('40303', '4403 forbidden', 'The password alone is not enough for the role.'),
  requiredFor: both(ADMITTED, 'The proof of the login has the factor.'),
  '40120': both('40120 expired', 'The user can confirm the login with `POST fresh`.'),
  '40304': both(ADMITTED, '40304 is for credentials with limits of their own.'),
  'of the packages': cell(ADMITTED, NONE, 'They are for the user of a login.'),
  actor: both(ACTOR, 'Factors, stamp and roles are checked as usual. Events name both.'),
} as const;

/** Decision 35 has the same table, and `credentials.spec.ts` calls a route for each of its cells. */
export const CREDENTIALS = {
  login: {
    title: 'JWT of a login',
    ways: 'HTTP and socket',
    contributions: ['KitAuthJwtModule AUTH_PROVIDER'],
    decisions: {
      ...OF_LOGINS,
      checkStamp: cell('40101 revoked', '4401 revoked', 'The token has the former roles.'),
    },
  },
  refresh: {
    title: 'JWT after a refresh',
    ways: 'HTTP and socket',
    contributions: ['KitAuthRefreshModule AUTH_LOGINS'],
    decisions: {
      ...OF_LOGINS,
      '40120': both('40120 expired', 'A refresh shows no factor.'),
      requiredFor: both(ADMITTED, 'A refresh keeps the proof of the login.'),
      checkStamp: cell('40101 revoked', '4401 revoked', 'The next refresh gives a token with the new roles.'),
      actor: both(ACTOR, 'A refresh keeps the proof of the login.'),
    },
  },
  session: {
    title: 'session',
    ways: 'HTTP and socket',
    contributions: ['KitAuthSessionModule AUTH_PROVIDER'],
    decisions: {
      ...OF_LOGINS,
      checkStamp: both(ADMITTED, 'It has the roles of now, so the option is not needed.'),
    },
  },
  'API key': {
    title: 'API key',
    ways: 'HTTP and socket',
    contributions: ['KitAuthKeysModule AUTH_CREDENTIAL'],
    decisions: {
      '40301': cell('40301', '4403 forbidden', 'A key can do no more than its owner.'),
      '40303': cell(
        '40303',
        '4403 forbidden',
        'A key that is older than the role was made with a password alone.',
      ),
      requiredFor: both(ADMITTED, 'The login that created the key had shown the factor.'),
      '40120': both('40304', 'Nobody is present, so that no key is ever fresh.'),
      '40304': cell('40304', '4403 forbidden', 'Without a permission, nothing limits a key.'),
      'of the packages': cell('40304', NONE, 'A leaked key must not take over the account.'),
      checkStamp: both(ADMITTED, 'It has the permissions of now. A reset ends it, and `endKeys` does.'),
      actor: both('no key: 40300', 'A key would outlive the login of the administrator.'),
    },
  },
  issuer: {
    title: 'token of an issuer',
    ways: 'HTTP and socket',
    contributions: ['KitAuthIssuersModule AUTH_CREDENTIAL'],
    decisions: {
      '40301': cell('40301', '4403 forbidden', 'The change is that of the account, whoever asks.'),
      '40303': cell(
        '40303',
        '4403 forbidden',
        'Only values that `mfa` of the issuer names stand for a second factor.',
      ),
      requiredFor: both(ADMITTED, '`acr` or `amr` has one of these values.'),
      '40120': both('40120 missing', 'Without `fresh`, no time of the issuer is believed.'),
      '40304': both(ADMITTED, 'Its limits are the roles and permissions of the user.'),
      'of the packages': cell('40304', NONE, 'The account is at the issuer. `GET me` is the exception.'),
      checkStamp: both(ADMITTED, 'The user is loaded again, or comes from the claims.'),
      actor: both(ACTOR, 'The claim `act` names the actor, who needs an enabled account.'),
    },
  },
  carried: {
    title: 'carried user',
    ways: 'message and job',
    contributions: ['KitAuthJobsModule AUTH_CREDENTIAL', 'KitAuthJobsModule AUTH_MESSAGES'],
    decisions: {
      '40301': both('40301', 'A carried user can do no more than a login could now.'),
      '40303': both('40303', 'The login that sent the job or message had shown none.'),
      requiredFor: both(ADMITTED, 'The login had shown one, or `run()` chose the user.'),
      '40120': cell('40120 missing', NONE, 'Nobody is present. Jobs call no route.'),
      '40304': cell(ADMITTED, NONE, 'Keys cannot be carried, so nothing is limited.'),
      'of the packages': cell(NONE, NONE, 'They take no messages.'),
      checkStamp: both(ADMITTED, 'The user is loaded again. `needsLogin` asks for the login.'),
      actor: both(ACTOR, 'Both must be enabled when the job or message arrives.'),
    },
  },
} as const satisfies Readonly<Record<string, Credential>>;

/** Contributions that resolve no credential of their own. */
export const WITHOUT_ROW: Readonly<Record<string, string>> = {
  'KitAuthSocketsModule AUTH_MESSAGES': 'has the principals of the other rows over a socket',
  'KitAuthTestingModule AUTH_PROVIDER': 'is for tests, and never in an application',
};

/** The rules and the table, as decision 35 has them. */
export function tablesInMarkdown(): string[] {
  const rows = (Object.keys(RULES) as Rule[]).flatMap((rule) =>
    Object.values(CREDENTIALS).map(({ title, ways, decisions }) => {
      const { outcomes, why } = decisions[rule];
      const [first, second] = ways.split(' and ') as [string, string];
      const text =
        outcomes[0] === outcomes[1] ? outcomes[0] : `${first}: ${outcomes[0]}; ${second}: ${outcomes[1]}`;
      return `| ${rule} | ${title} | ${text} | ${why} |`;
    }),
  );
  return [
    [
      '| rule | when |',
      '| --- | --- |',
      ...Object.entries(RULES).map(([rule, when]) => `| ${rule} | ${when} |`),
    ],
    ['| rule | credential | decision | why |', '| --- | --- | --- | --- |', ...rows],
  ].map((lines) => lines.join('\n'));
}
