export { KitAuthSessionModule as Implementation } from 'kit-auth-session';
