import type { AuthException, ErrorText } from 'kit-auth';
import { type Catalog, sentences, type TranslatedError } from './client.js';

/** The sentences of one language. */
export class LanguageSentences {
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
