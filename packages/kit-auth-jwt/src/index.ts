export { JwtTokensModule } from './jwt-tokens.module.js';
export { JwtAuthProvider } from './jwt.provider.js';
export { KitAuthJwtModule } from './kit-auth-jwt.module.js';
