import { Module } from '@nestjs/common';
import { CommandHooks } from '../commands/auth-command.js';
import { AUTH_EVENT_SINK } from '../contract/auth-event.js';
import { LOGIN_STEP } from '../contract/login-step.js';
import { declareReasons } from '../endpoints/declared-reasons.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { OneTimeModule } from '../one-time/one-time.module.js';
import { AUTH_OPERATIONS } from '../openapi/operation.js';
import { ChallengeCleanup } from './challenge.cleanup.js';
import { KitAuthLoginFactorController } from './login-factor.controller.js';
import { secondFactorOperations } from './operations.js';
import { SecondFactorLogin } from './second-factor.login.js';
import { SecondFactorStep } from './second-factor.step.js';

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
    { provide: AUTH_OPERATIONS, useValue: secondFactorOperations },
    declareReasons({ [AuthErrorCode.FACTOR_FAILED]: ['challenge-ended'] }),
  ],
  exports: [SecondFactorLogin, SecondFactorStep],
})
export class SecondFactorModule {}
