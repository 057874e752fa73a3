export { KitAuthJwtModule } from './kit-auth-jwt.module.js';
