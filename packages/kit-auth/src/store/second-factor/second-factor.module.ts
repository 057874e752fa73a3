import { Module } from '@nestjs/common';
import { CommandHooks } from '../../feature/commands/auth-command.js';
import { AUTH_EVENT_SINK } from '../../contract/auth-event.js';
import { LOGIN_STEP } from '../../contract/login-step.js';
import { declareReasons } from '../../refusals/declared-reasons.js';
import { AUTH_OPERATIONS, type PackageEndpoints } from '../../endpoints/operations.js';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { OneTimeModule } from '../one-time/one-time.module.js';
import { ChallengeCleanup } from './challenge.cleanup.js';
import { KitAuthLoginFactorController, loginFactorApi } from './login-factor.controller.js';
import { SecondFactorLogin } from './second-factor.login.js';
import { SecondFactorStep } from './second-factor.step.js';

const OPERATIONS: PackageEndpoints = {
  name: 'kit-auth',
  endpoints: loginFactorApi,
  additions: {
    'POST login': { errors: [AuthErrorCode.SECOND_FACTOR_REQUIRED] },
    'POST login/link/complete': { errors: [AuthErrorCode.SECOND_FACTOR_REQUIRED] },
    'POST fresh': { errors: [AuthErrorCode.FACTOR_FAILED] },
  },
};

/**
 * The second step of logins. Modules whose factors logins ask for (`Factor.second`) import it. To have the step run where their
 * module stands among the imports, they contribute `SecondFactorStep` to `LOGIN_STEP`, too.
 */
@CommandHooks()
@Module({
  imports: [OneTimeModule],
  controllers: [KitAuthLoginFactorController],
  providers: [
    SecondFactorLogin,
    SecondFactorStep,
    { provide: LOGIN_STEP, useExisting: SecondFactorStep },
    ChallengeCleanup,
    { provide: AUTH_EVENT_SINK, useExisting: ChallengeCleanup },
    { provide: AUTH_OPERATIONS, useValue: OPERATIONS },
    declareReasons({ [AuthErrorCode.FACTOR_FAILED]: ['challenge-ended'] }),
  ],
  exports: [SecondFactorLogin, SecondFactorStep],
})
export class SecondFactorModule {}
