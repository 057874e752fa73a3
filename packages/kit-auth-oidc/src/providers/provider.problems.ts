import { createPrivateKey, KeyObject } from 'node:crypto';
import { isObject, urlProblem } from 'kit-auth/tools';
import type { OidcProvider } from './provider.options.js';

const NAME = /^[a-z0-9-]{1,32}$/;
/** Under `/v1/api/auth/oidc/`. */
const RESERVED: readonly string[] = ['exchange', 'complete', 'logout'];
const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
const VERIFIED = ['claim', 'always', 'never'];
/** Parameters that protect the login. */
const OWN_PARAMS: readonly string[] = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
];

/** Returns the rest of the error message about the option `providers`. It repeats no values but names. */
export function providersProblem(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    return 'must be a list of providers, such as google({ clientId, clientSecret })';
  }
  const names = new Set<unknown>();
  for (const [i, entry] of (list as unknown[]).entries()) {
    const provider = (entry ?? {}) as Partial<OidcProvider>;
    const problem = names.has(provider.name)
      ? 'name must be unique'
      : typeof entry === 'object'
        ? problemOf(provider)
        : 'it must be an object';
    if (problem !== undefined) {
      const name = typeof provider.name === 'string' && NAME.test(provider.name) ? ` (${provider.name})` : '';
      return `has a provider at position ${i + 1}${name} that cannot be used: ${problem}`;
    }
    names.add(provider.name);
    const other = list.slice(0, i).find((one: OidcProvider) => one.issuer === provider.issuer) as
      OidcProvider | undefined;
    if (other !== undefined && (other.subject ?? 'sub') !== (provider.subject ?? 'sub')) {
      return `has two providers with the same issuer, ${other.name} and ${String(provider.name)}, whose subject differs`;
    }
  }
  return undefined;
}

type Check = readonly [isRight: boolean, problem: string];

function problemOf(provider: Partial<Record<keyof OidcProvider, unknown>>): string | undefined {
  const { name, issuer, clientId, oauth2 } = provider;
  const issuerProblem = urlProblem(issuer);
  const checks: readonly Check[] = [
    [isFilledString(name) && NAME.test(name), 'name must be 1 to 32 characters of a-z, 0-9 and "-"'],
    [!RESERVED.includes(name as string), `name must not be ${RESERVED.join(', ')}`],
    [issuerProblem === undefined, `issuer ${issuerProblem}`],
    [isFilledString(clientId), 'clientId must be a string that is not empty'],
    ...authenticationChecks(provider),
    ...optionalChecks(provider),
    ...(oauth2 === undefined ? [] : oauth2Checks(oauth2)),
  ];
  return checks.find(([isRight]) => !isRight)?.[1];
}

function authenticationChecks({
  authMethod = METHODS[0],
  clientSecret,
  privateKey,
}: Partial<Record<keyof OidcProvider, unknown>>): Check[] {
  const needsSecret = String(authMethod).startsWith('client_secret');
  return [
    [METHODS.includes(authMethod as string), `authMethod must be ${METHODS.join(', ')}`],
    [
      !needsSecret || isFilledString(clientSecret),
      `clientSecret must be a string that is not empty, for ${String(authMethod)}`,
    ],
    [
      authMethod !== 'private_key_jwt' || isPrivateKey(privateKey),
      'privateKey must be a private RSA or EC key in PEM',
    ],
  ];
}

function optionalChecks({
  title,
  scopes,
  subject,
  emailVerified,
  audiences,
  mfa,
  prompt,
  params,
  fresh,
  oauth2,
}: Partial<Record<keyof OidcProvider, unknown>>): Check[] {
  const texts = { title, scopes, subject, prompt };
  const isOpenId =
    oauth2 !== undefined ||
    scopes === undefined ||
    (isFilledString(scopes) && scopes.split(' ').includes('openid'));
  return [
    ...Object.entries(texts).map(([key, value]): Check => [
      value === undefined || isFilledString(value),
      `${key} must be a string that is not empty`,
    ]),
    [isOpenId, 'scopes must include openid'],
    [
      emailVerified === undefined || VERIFIED.includes(emailVerified as string),
      `emailVerified must be ${VERIFIED.join(', ')}`,
    ],
    [audiences === undefined || areFilledStrings(audiences), 'audiences must be a list of strings'],
    [mfa === undefined || areFilledStrings(mfa), 'mfa must be a list of strings'],
    [fresh === undefined || typeof fresh === 'boolean', 'fresh must be true or false'],
    [
      params === undefined || (isObject(params) && areFilledStrings(Object.values(params))),
      'params must be an object with strings',
    ],
    [
      !isObject(params) || !Object.keys(params).some((key) => OWN_PARAMS.includes(key)),
      `params must not have ${OWN_PARAMS.join(', ')}`,
    ],
  ];
}

function oauth2Checks(oauth2: unknown): Check[] {
  const { authorization, token, profile } = isObject(oauth2) ? oauth2 : {};
  const problems = { authorization: urlProblem(authorization), token: urlProblem(token) };
  return [
    ...Object.entries(problems).map(([key, problem]): Check => [
      problem === undefined,
      `oauth2.${key} ${problem}`,
    ]),
    [typeof profile === 'function', 'oauth2.profile must be a function'],
  ];
}

function isFilledString(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function areFilledStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFilledString);
}

function isPrivateKey(value: unknown): boolean {
  try {
    const key = value instanceof KeyObject ? value : createPrivateKey(value as string);
    return key.type === 'private' && ['rsa', 'ec'].includes(key.asymmetricKeyType ?? '');
  } catch {
    return false;
  }
}
