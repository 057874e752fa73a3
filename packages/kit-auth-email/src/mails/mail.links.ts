import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException } from 'kit-auth';
import {
  emailOptions,
  type MailPage,
  missingLink,
  PLACEHOLDER,
  type ResolvedEmailOptions,
} from '../email.options.js';

/** Builds the links of mails from the pages in `kit.auth.email.links`. */
@Injectable()
export class MailLinks {
  constructor(@Inject(emailOptions.token) private readonly options: ResolvedEmailOptions) {}

  /** Call this in `onModuleInit()`. @throws IllegalStateException that names the missing pages */
  require(...pages: readonly MailPage[]): void {
    const missing = pages.filter((page) => this.options.settings.links[page] === undefined);
    if (missing.length > 0) {
      throw new IllegalStateException(
        missing.map((page) => `kit.auth.email.${missingLink(page)}.`).join(' '),
      );
    }
  }

  /** The link to a page, with the token. @throws IllegalStateException when the page is not configured */
  build(page: MailPage, token: string): string {
    this.require(page);
    return linkWith(this.options.settings.links[page] as string, token);
  }
}

/** The link of a mail. */
export function linkWith(page: string, token: string): string {
  return page.replace(PLACEHOLDER, () => token);
}
