export type { KitAuthHelloOptions, KitAuthHelloOptionsFactory } from './hello.options.js';
export { KitAuthHelloModule } from './kit-auth-hello.module.js';
