import type { AuthException, ErrorText, ErrorTextSource, LoginUser, TransportRequest } from 'kit-auth';
import { Inject, Injectable } from '@nestjs/common';
import { type Catalog, sentences, type TranslatedError } from './client.js';
import { LanguageChoice } from './language.choice.js';
import { lookUp } from './accept-language.js';
import {
  languagesOptions,
  type LanguagesSettings,
  type ResolvedLanguagesOptions,
} from './languages.options.js';

/** The sentences of one language. */
class LanguageSentences {
  private readonly sentence: (error: TranslatedError) => string | undefined;
  /** Those without placeholders by code and reason: to look one up by its key costs more than the rest of a refusal's text. */
  private readonly fixed = new Map<number, Map<string | undefined, ErrorText>>();

  constructor(
    catalog: Catalog,
    private readonly language: string,
    private readonly replacesMessage: boolean,
  ) {
    this.sentence = sentences(catalog, language, 'UTC');
    for (const [key, entry] of Object.entries(catalog)) {
      const [code, reason] = key.split('.');
      if (typeof entry === 'string' && !entry.includes('{')) {
        const byReason = this.fixed.get(Number(code)) ?? new Map<string | undefined, ErrorText>();
        this.fixed.set(Number(code), byReason.set(reason, this.textWith(entry)));
      }
    }
  }

  of(exception: AuthException): ErrorText | undefined {
    const { code, reason, retryAfter, count } = exception as AuthException & Pick<TranslatedError, 'count'>;
    const fixed = this.fixed.get(code)?.get(reason);
    if (fixed !== undefined) {
      return fixed;
    }
    const body = exception.getResponse() as TranslatedError;
    const sentence = this.sentence({ ...body, code, reason, retryAfter, count: count ?? body.count });
    return sentence === undefined ? undefined : this.textWith(sentence);
  }

  private textWith(sentence: string): ErrorText {
    const { language } = this;
    return this.replacesMessage ? { message: sentence, language } : { text: sentence, language };
  }
}

/** The sentences of errors. */
@Injectable()
export class ErrorSentences implements ErrorTextSource {
  private readonly settings: LanguagesSettings;
  /** Made at start-up, so later changes of the catalogs have no effect. */
  private readonly byLanguage: ReadonlyMap<string, LanguageSentences>;

  constructor(
    @Inject(languagesOptions.token) { settings }: ResolvedLanguagesOptions,
    private readonly choice: LanguageChoice,
  ) {
    this.settings = settings;
    this.byLanguage = new Map(
      Object.keys(settings.languages).map((tag) => [
        tag,
        new LanguageSentences(
          structuredClone(withParents(tag, settings.languages)),
          tag,
          settings.replaceMessage,
        ),
      ]),
    );
  }

  textOf(
    exception: AuthException,
    request: TransportRequest | undefined,
    user: LoginUser | undefined,
  ): ErrorText | undefined {
    return (
      this.byLanguage.get(this.choice.of(request, user))?.of(exception) ??
      this.byLanguage.get(this.settings.fallback)?.of(exception)
    );
  }

  languageOf(request: TransportRequest | undefined, user: LoginUser | undefined): string {
    return this.choice.of(request, user);
  }
}

/** A catalog with its inherited sentences: `de-AT` has the sentences of `de` that it does not replace. */
function withParents(tag: string, catalogs: Readonly<Record<string, Catalog>>): Catalog {
  const parent = tag.split('-').slice(0, -1).join('-').toLowerCase();
  const tags = new Map(Object.keys(catalogs).map((known) => [known.toLowerCase(), known]));
  const found = lookUp(parent, tags);
  return { ...(found !== undefined && withParents(found, catalogs)), ...catalogs[tag] };
}
