import type { DiscoveryService } from '@nestjs/core';
import { LOGIN_STEP, type LoginStep } from '../contract/login-step.js';
import { allContributionsTo } from '../provider/contributions.js';

export type StepWith<Method extends keyof LoginStep> = LoginStep & Required<Pick<LoginStep, Method>>;

/** The steps of the login that have an optional method. */
export function stepsWith<Method extends keyof LoginStep>(
  discovery: DiscoveryService,
  method: Method,
): StepWith<Method>[] {
  return allContributionsTo<LoginStep>(discovery, LOGIN_STEP, 'LoginStep', []).filter(
    (step): step is StepWith<Method> => step[method] !== undefined,
  );
}
