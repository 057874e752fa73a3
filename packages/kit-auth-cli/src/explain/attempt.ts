import { type AuthErrorBody, AuthErrorCode, AuthException } from 'kit-auth';
import type { Check, Refusal } from './explanation.js';

/** Runs a check of the guard. @throws what is no refusal */
export async function attempt(requirement: string, check: () => unknown): Promise<Check> {
  try {
    await check();
    return { result: 'met', requirement };
  } catch (error) {
    if (error instanceof AuthException && error.code !== AuthErrorCode.AUTH_UNAVAILABLE) {
      return { result: 'missing', requirement, refusal: refusalOf(error) };
    }
    throw error;
  }
}

function refusalOf(error: AuthException): Refusal {
  const { code, error: name, message, missing, reason } = error.getResponse() as AuthErrorBody;
  return { code, error: name, message, ...(missing && { missing }), ...(reason !== undefined && { reason }) };
}
