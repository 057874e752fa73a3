import { Inject, Injectable } from '@nestjs/common';
import { BUILT_IN_ADMIN_PASSWORD, MAX_PASSWORD_BYTES } from '../config/option-table.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';

const PRODUCT_NAMES = ['kit-auth', 'kitauth'];
/** A shorter name may be part of a good password by chance. */
const SHORTEST_NAME_WITHIN = 4;

/**
 * Which passwords may be chosen (NIST SP 800-63B section 5.1.1.2): long enough, none that everybody tries, none that
 * the name tells; no rules on what kinds of characters it has.
 */
@Injectable()
export class PasswordPolicy {
  private common: Promise<ReadonlySet<string>> | undefined;

  constructor(@Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings) {}

  /**
   * @throws AuthException 40000 with the reason `password-malformed`, `password-too-short`, `password-too-long`,
   * `password-has-username` or `password-common`
   */
  async check(password: string, username: string): Promise<void> {
    const { minLength } = this.settings.password;
    if (!password.isWellFormed()) {
      throw refused('password-malformed', 'The password has half a character (a lone surrogate)');
    }
    if (Array.from(password).length < minLength) {
      throw refused('password-too-short', `The password needs at least ${minLength} characters`);
    }
    if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
      throw refused(
        'password-too-long',
        `The password may have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`,
      );
    }
    const lower = password.toLowerCase();
    const name = username.toLowerCase();
    if (lower === name || (name.length >= SHORTEST_NAME_WITHIN && lower.includes(name))) {
      throw refused('password-has-username', 'The password must not have the username in it');
    }
    // What is put before and after a word to make it longer is known as well: "password123!".
    const core = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
    const known = await this.commonPasswords();
    if ([lower, core].some((it) => known.has(it) || it === name)) {
      throw refused('password-common', 'The password is one of those that are tried first');
    }
  }

  /** Read when the first password is chosen: the list takes memory and a moment. */
  private commonPasswords(): Promise<ReadonlySet<string>> {
    this.common ??= import('@zxcvbn-ts/language-common').then(
      ({ dictionary }) =>
        new Set([
          ...dictionary['passwords-common'],
          ...[BUILT_IN_ADMIN_PASSWORD, this.settings.defaultAdminPassword.toLowerCase(), ...PRODUCT_NAMES],
        ]),
    );
    return this.common;
  }
}

function refused(reason: string, message: string): AuthException {
  return new AuthException(AuthErrorCode.BAD_REQUEST, { reason, message });
}
