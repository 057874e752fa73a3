import { type EntityManager, Not, QueryFailedError } from 'typeorm';
import { dataSourceOf, readFromPrimary } from '../database/data-source.js';
import { type AuthException, conflict } from '../../errors/auth.exception.js';
import { nameKey } from '../../users/name-key.js';
import { AuthUser } from './auth-user.entity.js';

/** @throws AuthException 40900 when another user has the name */
export async function requireFree(
  manager: EntityManager,
  username: string,
  exceptId?: number,
): Promise<void> {
  if (await hasUser(manager, username, exceptId)) {
    throw taken();
  }
}

/**
 * Handles the failure of a write: throws AuthException 40900 when another user has the name by now. The look-up is not
 * part of the transaction, which has failed.
 */
export function refusingTaken(
  manager: EntityManager,
  username: string,
  exceptId?: number,
): (error: unknown) => Promise<never> {
  return async (error) => {
    const isTaken =
      error instanceof QueryFailedError &&
      (await readFromPrimary(dataSourceOf(manager), (outside) => hasUser(outside, username, exceptId)).catch(
        () => false,
      ));
    throw isTaken ? taken(error) : error;
  };
}

/** Whether another user has the name, or one that people would take for it. */
export function hasUser(manager: EntityManager, username: string, exceptId?: number): Promise<boolean> {
  const other = exceptId === undefined ? {} : { id: Not(exceptId) };
  const usernameKey = nameKey(username);
  return manager.existsBy(AuthUser, [
    { ...other, username },
    ...(usernameKey === null ? [] : [{ ...other, usernameKey }]),
  ]);
}

function taken(cause?: unknown): AuthException {
  return conflict('The username is taken', cause);
}
