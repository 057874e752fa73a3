import { AppModule } from './app.module.js';
import { pageUrl } from './mail/page-url.js';
import { providerAt } from './provider/provider-options.js';
import { settingsOfEnvironment } from './settings/environment.js';

const settings = settingsOfEnvironment();
/** Commands call no provider, so it need not run. */
const provider = settings.demoProvider && providerAt('http://localhost', 'unused');

/** The application as `npx kit-auth` loads it: package.json names it, because `AppModule` alone has no settings. */
export const CommandLineModule = AppModule.with(settings, pageUrl(settings, settings.port), provider);
