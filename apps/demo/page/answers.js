// An answer in words: what came back, why, and what to do next.
import { FRESH_LOGIN_REQUIRED, TOKEN_INVALID, TOKEN_MISSING } from '/shared.js';
import { ageOf, factorName, spanOf } from '/this-login.js';

const FORBIDDEN = 40300;

const REFUSED = 'A refusal. The guard answered, and the handler of the route did not run.';

/** One requirement of a route, such as `permission note:read`. */
export function needOf({ kind, names, mode, within, name }) {
  switch (kind) {
    case 'fresh':
      return `login confirmed in the last ${spanOf(within)}`;
    case 'policy':
      return `policy ${name}`;
    default:
      return `${kind} ${names.join(mode === 'any' ? ' or ' : ' and ')}`;
  }
}

/**
 * @param as `login`, `nobody` or `damaged`
 * @returns `came`, `why` and `next`
 */
export function explain({ route, as, response, body }) {
  return response.ok ? admitted(route, as) : { came: REFUSED, ...refusal(route, body) };
}

function isOpen({ decision }) {
  return decision.startsWith('open');
}

/** Routes with an optional user read the token of requests that have one. */
function tokenUse({ invalid }, as) {
  if (invalid === undefined) {
    return ' The guard reads none.';
  }
  return as === 'login'
    ? ' The guard read that of this login, so the handler knows the user.'
    : ' The handler knows no user.';
}

function admitted(route, as) {
  const came = 'The handler of the route ran, and this is its answer.';
  if (isOpen(route)) {
    return {
      came,
      why: `The route is ${route.decision}, so it needs no token.${tokenUse(route, as)}`,
      next: 'Nothing.',
    };
  }
  const needs = route.requires.map(needOf);
  return {
    came,
    why: `The token is valid${needs.length === 0 ? '' : `, and this login meets: ${needs.join(', ')}`}.`,
    next: as === 'login' ? 'Send it without a token, or with a damaged one, and compare.' : 'Nothing.',
  };
}

function refusal(route, { code, message, missing = [], reason, maxAge }) {
  switch (code) {
    case TOKEN_MISSING:
      return {
        why: 'The route needs a token, and the request had none.',
        next: 'Clients send their user to the login.',
      };
    case TOKEN_INVALID:
      return {
        why: `The request had a token that is not valid${reason ? `: ${reason}` : ''}.`,
        next: 'Clients refresh once and send the request again. If there is nothing to refresh, they discard the token, and send their user to the login.',
      };
    case FRESH_LOGIN_REQUIRED:
      return {
        why: staleness(missing, reason, maxAge),
        next: 'The login goes on: keep the token. Clients ask for the factor, confirm the login, and send the request again.',
      };
    case FORBIDDEN:
      return lack(route, missing);
    default:
      return {
        why: `${message ?? 'The answer does not say why'}.`,
        next: 'Look up the code in the reference.',
      };
  }
}

function staleness(missing, reason, maxAge) {
  const factors = missing.map(factorName).join(' or ').toLowerCase();
  const age = ageOf(missing);
  const mine = reason === 'missing' || age === undefined ? 'never in this login' : `${spanOf(age)} ago`;
  return `The token is valid. But for this route, the user must have shown this in the last ${spanOf(maxAge)}: ${factors}. It was shown ${mine}.`;
}

function lack({ requires }, missing) {
  const policy = requires.find(({ kind, name }) => kind === 'policy' && missing.includes(name));
  return policy
    ? {
        why: `The token is valid, but the policy ${policy.name} of the application refuses this user. Policies are asked last, and also for super administrators.`,
        next: 'Do not send it again: the code of the policy decides. Clients say that the user may not do this.',
      }
    : {
        why: `The token is valid, but the user lacks: ${missing.join(', ')}.`,
        next: 'Do not send it again until an administrator has given the user a role with it. Clients say that the user may not do this.',
      };
}
