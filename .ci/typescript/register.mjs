// For `node --conditions=@kit-auth/source --import=.ci/typescript/register.mjs`: runs TypeScript, and our packages from
// their sources, without a build.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
