/** Injection token of checks that `npx kit-auth doctor` runs besides its own. Any module may contribute one, or a list of them. */
export const DOCTOR_CHECK = Symbol.for('kit-auth.doctor-check');

/** A finding of `npx kit-auth doctor`. */
export interface DoctorFinding {
  /** A `problem` fails the command. A `warning` may be intended, or rests on an assumption. */
  readonly level: 'problem' | 'warning';
  /** The problem, with the full key of an option. One or two sentences. */
  readonly problem: string;
  /** The cure, with the command or the option. */
  readonly cure: string;
}

/** A check of the application, which has run `onModuleInit()` of kit-auth. It changes nothing. */
export interface DoctorCheck {
  /** One or two words, such as `issuers`. */
  readonly name: string;
  /** Rejects if it could not be finished. */
  run(): Promise<readonly DoctorFinding[]>;
}
