import { KitAuthBrowserModule } from 'kit-auth-browser';

export { KitAuthSessionModule as Implementation } from 'kit-auth-session';
export const additions = [KitAuthBrowserModule];
