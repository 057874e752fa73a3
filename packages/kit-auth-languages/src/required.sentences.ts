import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { DeclaredReasons } from 'kit-auth/feature';
import { en } from './catalogs.js';
import type { Catalog } from './client.js';
import { CODE_KEYS } from './catalog.problems.js';
import { languagesOptions, type ResolvedLanguagesOptions } from './languages.options.js';

/** The sentences that the application needs. */
@Injectable()
export class RequiredSentences implements OnModuleInit {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    @Inject(languagesOptions.token) private readonly options: ResolvedLanguagesOptions,
    private readonly reasons: DeclaredReasons,
  ) {}

  /** @throws IllegalStateException for a fallback that lacks a sentence, and a sentence for an undeclared reason */
  onModuleInit(): void {
    if (!this.core.enabled) {
      return;
    }
    const { fallback, languages } = this.options.settings;
    for (const [tag, catalog] of Object.entries(languages)) {
      const [problem] = this.unknownIn(catalog);
      if (problem !== undefined) {
        throw new IllegalStateException(`kit.auth.languages.languages.${tag} ${problem}.`);
      }
    }
    const missing = this.missingIn(languages[fallback] as Catalog);
    if (missing.length > 0) {
      throw new IllegalStateException(
        `kit.auth.languages.fallback is ${fallback}, whose catalog lacks ${missing.join(', ')}. Add these sentences to ` +
          `kit.auth.languages.languages.${fallback}. With { ...en }, those of the package fill the gaps.`,
      );
    }
  }

  /** The keys that a catalog lacks: a code has a sentence, and each reason that an imported module gives. */
  missingIn(catalog: Catalog): string[] {
    const reasons = [...this.reasons.byCode()].flatMap(([code, all]) =>
      [...all].map((reason) => `${code}.${reason}`),
    );
    return [...CODE_KEYS, ...reasons].filter((key) => !Object.hasOwn(catalog, key)).sort();
  }

  /** Keys whose `reason` no package declares. */
  unknownIn(catalog: Catalog): string[] {
    const declared = this.reasons.byCode();
    return Object.keys(catalog)
      .filter((key) => {
        const [code = '', reason = ''] = key.split('.');
        return (
          CODE_KEYS.includes(code) &&
          reason !== '' &&
          !Object.hasOwn(en, key) &&
          declared.get(Number(code))?.has(reason) !== true
        );
      })
      .map((key) => `${JSON.stringify(key)} has a reason that no package gives`);
  }
}
