import type { LoginStep } from '../contract/login-step.js';
import type { Contributions } from '../provider/contributions.js';
import { STEPS } from '../provider/ports.js';

export type StepWith<Method extends keyof LoginStep> = LoginStep & Required<Pick<LoginStep, Method>>;

/** The steps of the login that have an optional method. */
export function stepsWith<Method extends keyof LoginStep>(
  contributions: Contributions,
  method: Method,
): StepWith<Method>[] {
  return contributions.allTo(STEPS).filter((step): step is StepWith<Method> => step[method] !== undefined);
}
