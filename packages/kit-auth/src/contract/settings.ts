import type { LoginLimiterFactory } from './login-limiter.js';

/** The options as an implementation finds them: resolved once, validated, frozen. */
export const KIT_AUTH_SETTINGS = Symbol.for('kit-auth.settings');

export interface KitAuthSettings {
  readonly enabled: boolean;
  readonly tokenHeader: string;
  readonly tokenPrefix: string;
  readonly defaultAdminUsername: string;
  readonly defaultAdminPassword: string;
  readonly whiteList: readonly string[];
  readonly jwt: {
    /** Undefined when not overridden: the implementation then uses its placeholder, and warns. */
    readonly secret: string | undefined;
    readonly expireMinutes: number;
    /** Whether tokens carry the user's security stamp; a number of seconds that the stamp may be old. */
    readonly checkStamp: boolean | number;
  };
  readonly password: {
    readonly cost: number;
    readonly concurrency: number;
    readonly queue: number;
    readonly minLength: number;
  };
  readonly access: {
    readonly requireDecision: boolean;
  };
  readonly login: {
    readonly databaseTimeoutMs: number;
    /** False: there is none. */
    readonly throttle: false | LoginThrottleSettings;
  };
}

export interface LoginThrottleSettings {
  readonly failures: number;
  readonly addressFailures: number;
  readonly maxWaitSeconds: number;
  /** Undefined: in the memory of the process. */
  readonly limiter: LoginLimiterFactory | undefined;
}
