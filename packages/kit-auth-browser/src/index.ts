export type { KitAuthBrowserOptions } from './browser.options.js';
export { KitAuthBrowserModule } from './kit-auth-browser.module.js';
export type { CrossOriginReason } from './origin.rule.js';
export { SameOrigin } from './same-origin.decorator.js';
