import { Inject, Injectable, Logger } from '@nestjs/common';
import type { LoginUser, TransportRequest } from 'kit-auth';
import { BoundedMap, describeError } from 'kit-auth/tools';
import {
  languagesOptions,
  type LanguagesSettings,
  type ResolvedLanguagesOptions,
} from './languages.options.js';
import { isTag, languageFor, lookUp, readPartOf } from './accept-language.js';

/** Browsers send a few hundred different ones. To read one takes longer than the rest of a sentence. */
const MAX_HEADERS = 500;

/** Chooses the language of a request, once. */
@Injectable()
export class LanguageChoice {
  private readonly logger = new Logger('KitAuth');
  private readonly settings: LanguagesSettings;
  private readonly available: ReadonlyMap<string, string>;
  /** By the headers of a request, of which Node makes one object. */
  private readonly chosen = new WeakMap<object, string>();
  private readonly byHeader = new BoundedMap<string, string>(MAX_HEADERS);
  private hasWarned = false;

  constructor(@Inject(languagesOptions.token) { settings }: ResolvedLanguagesOptions) {
    this.settings = settings;
    this.available = new Map(Object.keys(settings.languages).map((tag) => [tag.toLowerCase(), tag]));
  }

  /** @param request undefined for a message of a microservice, which gets the fallback */
  of(request: TransportRequest | undefined, user: LoginUser | undefined): string {
    if (request === undefined) {
      return this.settings.fallback;
    }
    if (this.settings.from === 'accept-language') {
      return this.headerChoice(request); // costs less than to keep it
    }
    let language = this.chosen.get(request.headers);
    if (language === undefined) {
      language = this.ownChoice(this.settings.from, request, user) ?? this.headerChoice(request);
      this.chosen.set(request.headers, language);
    }
    return language;
  }

  private headerChoice({ headers }: TransportRequest): string {
    const { fallback } = this.settings;
    const header = readPartOf(headers['accept-language'] ?? '');
    let language = this.byHeader.get(header);
    if (language === undefined) {
      language = languageFor(header, this.available, fallback) ?? fallback;
      this.byHeader.set(header, language);
    }
    return language;
  }

  private ownChoice(
    from: Exclude<LanguagesSettings['from'], string>,
    request: TransportRequest,
    user: LoginUser | undefined,
  ): string | undefined {
    let tag: unknown;
    try {
      tag = from(request, user);
    } catch (error) {
      this.warn(`threw: ${describeError(error)}`);
      return undefined;
    }
    if (tag === undefined) {
      return undefined;
    }
    if (!isTag(tag)) {
      Promise.resolve(tag).catch(() => undefined); // a promise that rejects would end the process
      this.warn("returned something else than a language tag, such as 'de-AT', or undefined");
      return undefined;
    }
    return lookUp(tag.toLowerCase(), this.available);
  }

  private warn(what: string): void {
    if (!this.hasWarned) {
      this.hasWarned = true;
      this.logger.warn(
        `[auth] kit.auth.languages.from ${what}. The header Accept-Language is used instead. Not logged again.`,
      );
    }
  }
}
