export { FactorGuesses, type Guess } from './second-factor/factor.guesses.js';
export { type FactorOutcome, SECOND_FACTOR, type SecondFactor } from './second-factor/second-factor.js';
export { type CompletingAnswer, SecondFactorLogin } from './second-factor/second-factor.login.js';
export { SecondFactorStep } from './second-factor/second-factor.step.js';
export { SecondFactorModule } from './second-factor/second-factor.module.js';
export { type Asked, SecondFactors } from './second-factor/second-factors.js';
