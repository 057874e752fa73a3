import { AppModule } from './app.module.js';
import { pageUrl } from './mail/page-url.js';
import { settingsOfEnvironment } from './settings/environment.js';

const settings = settingsOfEnvironment();

/** The application as `npx kit-auth` loads it: package.json names it, because `AppModule` alone has no settings. */
export const CommandLineModule = AppModule.with(settings, pageUrl(settings, settings.port));
