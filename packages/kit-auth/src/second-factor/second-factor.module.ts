import { Module } from '@nestjs/common';
import { CommandHooks } from '../commands/auth-command.js';
import { AUTH_EVENT_SINK } from '../contract/auth-event.js';
import { declareReasons } from '../endpoints/declared-reasons.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { OneTimeModule } from '../one-time/one-time.module.js';
import { AUTH_OPERATIONS } from '../openapi/operation.js';
import { ChallengeCleanup } from './challenge.cleanup.js';
import { FactorGuesses } from './factor.guesses.js';
import { KitAuthLoginFactorController } from './login-factor.controller.js';
import { secondFactorOperations } from './operations.js';
import { SecondFactorLogin } from './second-factor.login.js';
import { SecondFactorStep } from './second-factor.step.js';
import { SecondFactors } from './second-factors.js';

/**
 * The second step of logins, for the contributions to `SECOND_FACTOR`. Their modules import it, and contribute
 * `SecondFactorStep` to `LOGIN_STEP`, so that the step runs where their module stands among the imports.
 */
@CommandHooks()
@Module({
  imports: [OneTimeModule],
  controllers: [KitAuthLoginFactorController],
  providers: [
    SecondFactors,
    FactorGuesses,
    SecondFactorLogin,
    SecondFactorStep,
    ChallengeCleanup,
    { provide: AUTH_EVENT_SINK, useExisting: ChallengeCleanup },
    { provide: AUTH_OPERATIONS, useValue: secondFactorOperations },
    declareReasons({ [AuthErrorCode.FACTOR_FAILED]: ['challenge-ended'] }),
  ],
  exports: [FactorGuesses, SecondFactorLogin, SecondFactors, SecondFactorStep],
})
export class SecondFactorModule {}
