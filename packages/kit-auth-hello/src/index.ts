export type { KitAuthHelloOptions } from './hello.options.js';
export { KitAuthHelloModule } from './kit-auth-hello.module.js';
