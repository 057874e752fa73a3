import type { Attributes } from '@opentelemetry/api';
import type { AuthDecisionMessage, AuthOutcome } from 'kit-auth';

/** The value for an error of unknown type in the semantic conventions of OpenTelemetry. */
const OTHER = '_OTHER';

type Outcome = AuthOutcome | AuthDecisionMessage;

/** How something ended, and why. */
export function outcomeOf(message: Outcome): Attributes {
  const { outcome, reason } = message;
  return {
    ...(outcome !== undefined && { 'kit_auth.outcome': outcome }),
    ...(reason !== undefined && { 'kit_auth.reason': reason }),
    ...errorOf(message),
  };
}

/** The code of a refusal or failure. Empty for a success. */
export function errorOf({ outcome, code }: Outcome): Attributes {
  return outcome === 'refused' || outcome === 'failed' ? { 'error.type': String(code ?? OTHER) } : {};
}
