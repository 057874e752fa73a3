import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type OnModuleInit,
} from '@nestjs/common';
import { AUTH_COMMAND, ERROR_TEXTS, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { CommandHooks, Ports } from 'kit-auth/extend';
import { LanguageChoice } from './choice/language.choice.js';
import { LanguagesCheckCommand } from './command-line/languages-check.command.js';
import { type KitAuthLanguagesOptions, languagesOptions } from './config/languages.options.js';
import { ErrorSentences } from './error.sentences.js';
import { RequiredSentences } from './required.sentences.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthLanguagesOptions>().setClassMethodName('forRoot').build();

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
@CommandHooks()
@Module({
  providers: [
    languagesOptions.provider(MODULE_OPTIONS_TOKEN),
    LanguageChoice,
    RequiredSentences,
    ErrorSentences,
    { provide: ERROR_TEXTS, useExisting: ErrorSentences },
    LanguagesCheckCommand,
    { provide: AUTH_COMMAND, useExisting: LanguagesCheckCommand },
  ],
})
export class KitAuthLanguagesModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly ports: Ports,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthLanguagesOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the module is imported twice */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.ports.requireOneImport(KitAuthLanguagesModule);
    }
  }
}
