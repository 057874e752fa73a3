import { badRequest, nicknameFrom } from 'kit-auth/extend';

const MAX_LOCALE = 35;
const MAX_ROLES = 100;

type Body = Readonly<Record<string, unknown>>;

/** @throws AuthException 40000 */
export function readNickname(body: Body): string | undefined {
  return nicknameFrom(memberOf(body, 'nickname'));
}

/** @returns a tag of BCP 47 in its usual spelling. @throws AuthException 40000 */
export function readLocale(body: Body): string | undefined {
  const given = memberOf(body, 'locale');
  const [locale] = typeof given === 'string' && given.length <= MAX_LOCALE ? canonical(given) : [];
  if (given !== undefined && locale === undefined) {
    throw badRequest('"locale" must be a language tag such as "de" or "pt-BR"');
  }
  return locale;
}

/** @throws AuthException 40000 */
export function readRoles(body: Body): readonly string[] {
  const given = memberOf(body, 'roles');
  const roles = given === undefined ? [] : given;
  const isList =
    Array.isArray(roles) &&
    roles.length <= MAX_ROLES &&
    new Set(roles).size === roles.length &&
    roles.every((role) => typeof role === 'string' && role.isWellFormed() && !/[\p{Cc}]/u.test(role));
  if (!isList) {
    throw badRequest(`"roles" must be a list of at most ${MAX_ROLES} different role codes`);
  }
  return roles as string[];
}

/** Reads own members only, so inherited ones such as `constructor` are ignored. */
function memberOf(body: Body, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

function canonical(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    return [];
  }
}
