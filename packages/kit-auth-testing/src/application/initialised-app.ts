import type { Abstract, INestApplicationContext } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { ActiveProvider } from 'kit-auth/login';

/** An application whose providers of `KitAuthModule` can be used. */
export class InitialisedApp {
  readonly settings: KitAuthSettings;

  /** @throws Error for an application that was not initialised, or has no authentication */
  constructor(private readonly app: INestApplicationContext) {
    if (typeof (app as unknown as Partial<typeof app> | undefined)?.get !== 'function') {
      throw new TypeError('The first argument must be the application: await the function that creates it.');
    }
    this.settings = this.settingsOf();
    if (!this.settings.enabled) {
      throw new Error('kit.auth.enabled is false in this application, so it protects nothing.');
    }
    try {
      this.get(ActiveProvider).get();
    } catch (cause) {
      throw new Error('The application is not initialised: call `await app.init()` first.', { cause });
    }
  }

  get<T>(type: abstract new (...args: never[]) => T): T {
    return this.app.get<T>(type as unknown as Abstract<T>, { strict: false });
  }

  private settingsOf(): KitAuthSettings {
    try {
      return this.app.get<KitAuthSettings>(KIT_AUTH_SETTINGS, { strict: false });
    } catch (cause) {
      throw new Error(
        'This application does not import KitAuthModule. In a test of one module, import ' +
          'KitAuthTestingModule.forRoot() beside it.',
        { cause },
      );
    }
  }
}
