import { Inject, Injectable } from '@nestjs/common';
import { BUILT_IN_ADMIN_PASSWORD } from '../config/kit-auth.options.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { PasswordHashing } from './password.hashing.js';

const PRODUCT_NAMES = ['kit-auth', 'kitauth'];
/** A shorter username may occur in a good password by chance. */
const MIN_NAME_LENGTH = 4;

/**
 * Decides which passwords are allowed (NIST SP 800-63B section 5.1.1.2). A password must be long enough, must not be a
 * common one, and must not contain the username. There are no rules about kinds of characters.
 */
@Injectable()
export class PasswordPolicy {
  private common: Promise<ReadonlySet<string>> | undefined;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly hashing: PasswordHashing,
  ) {}

  /**
   * @throws AuthException 40000 with the reason `password-malformed`, `password-too-short`, `password-too-long`,
   * `password-has-username` or `password-common`
   */
  async check(password: string, username: string): Promise<void> {
    await this.judge(password, username, [this.settings.defaultAdminPassword.toLowerCase()]);
  }

  /**
   * Checks `kit.auth.defaultAdminPassword` itself, which `check()` refuses as a common password.
   *
   * @throws AuthException like `check()`
   */
  async checkSeeded(): Promise<void> {
    const { defaultAdminPassword, defaultAdminUsername } = this.settings;
    await this.judge(defaultAdminPassword, defaultAdminUsername, []);
  }

  /** @param seeded passwords that are common in this application, in lower case */
  private async judge(password: string, username: string, seeded: readonly string[]): Promise<void> {
    const { minLength } = this.settings.password;
    if (!password.isWellFormed()) {
      throw refused('password-malformed', 'The password contains a lone surrogate');
    }
    if (Array.from(password).length < minLength) {
      throw new PasswordTooShortException(minLength);
    }
    const { maxBytes } = this.hashing;
    if (Buffer.byteLength(password) > maxBytes) {
      throw refused('password-too-long', `The password may have at most ${maxBytes} bytes in UTF-8`);
    }
    const lower = password.toLowerCase();
    const name = username.toLowerCase();
    if (lower === name || (name.length >= MIN_NAME_LENGTH && lower.includes(name))) {
      throw refused('password-has-username', 'The password must not contain the username');
    }
    // "password123!" is as common as "password".
    const core = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
    const known = await this.commonPasswords();
    if ([lower, core].some((form) => known.has(form) || seeded.includes(form) || form === name)) {
      throw refused('password-common', 'The password is too common');
    }
  }

  /** Loaded with the first new password, because the list takes time and memory. */
  private commonPasswords(): Promise<ReadonlySet<string>> {
    this.common ??= import('@zxcvbn-ts/language-common').then(
      ({ dictionary }) =>
        new Set([...dictionary['passwords-common'], BUILT_IN_ADMIN_PASSWORD, ...PRODUCT_NAMES]),
    );
    return this.common;
  }
}

/** The `count` is for the sentence of `kit-auth-languages`. Answers do not have it. */
class PasswordTooShortException extends AuthException {
  constructor(readonly count: number) {
    super(AuthErrorCode.BAD_REQUEST, {
      reason: 'password-too-short',
      message: `The password needs at least ${count} characters`,
    });
  }
}

function refused(reason: string, message: string): AuthException {
  return new AuthException(AuthErrorCode.BAD_REQUEST, { reason, message });
}
