import { Inject, Injectable } from '@nestjs/common';
import type { AuthException, ErrorText, ErrorTextSource, LoginUser, TransportRequest } from 'kit-auth';
import { LanguageChoice } from './choice/language.choice.js';
import { lookUp } from './choice/accept-language.js';
import type { Catalog } from './client.js';
import {
  languagesOptions,
  type LanguagesSettings,
  type ResolvedLanguagesOptions,
} from './config/languages.options.js';
import { LanguageSentences } from './language.sentences.js';

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

/** A catalog with what it inherits: `de-AT` has the sentences of `de` that it does not replace. */
function withParents(tag: string, catalogs: Readonly<Record<string, Catalog>>): Catalog {
  const parent = tag.split('-').slice(0, -1).join('-').toLowerCase();
  const tags = new Map(Object.keys(catalogs).map((known) => [known.toLowerCase(), known]));
  const found = lookUp(parent, tags);
  return { ...(found !== undefined && withParents(found, catalogs)), ...catalogs[tag] };
}
