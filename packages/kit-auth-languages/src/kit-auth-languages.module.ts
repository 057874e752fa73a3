import { ERROR_TEXTS } from 'kit-auth';
import { authFeature } from 'kit-auth/feature';
import { ErrorSentences } from './error.sentences.js';
import { LanguageChoice } from './language.choice.js';
import { LanguagesCheckCommand } from './languages-check.command.js';
import { type KitAuthLanguagesOptions, languagesOptions } from './languages.options.js';
import { RequiredSentences } from './required.sentences.js';

/**
 * Adds a sentence for people to errors, in their language. Import the class itself, or `forRoot()` or `forRootAsync()` to pass
 * options, once.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthLanguagesModule,
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthLanguagesModule extends authFeature<KitAuthLanguagesOptions>('kit-auth-languages', {
  options: languagesOptions,
  commands: [LanguagesCheckCommand],
  providers: [
    LanguageChoice,
    RequiredSentences,
    ErrorSentences,
    { provide: ERROR_TEXTS, useExisting: ErrorSentences },
  ],
}) {}
