export { type CompletingAnswer, SecondFactorLogin } from './second-factor/second-factor.login.js';
export { SecondFactorModule } from './second-factor/second-factor.module.js';
export { SecondFactorStep } from './second-factor/second-factor.step.js';
export { FactorGuesses, type Guess } from './throttle/factor.guesses.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
