export { KitAuthJwtModule as Implementation } from 'kit-auth-jwt';
