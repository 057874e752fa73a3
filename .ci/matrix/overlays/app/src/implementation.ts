import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthRefreshModule } from 'kit-auth-refresh';

export { KitAuthJwtModule as Implementation } from 'kit-auth-jwt';
export const additions = [KitAuthRefreshModule.forRoot({ accessMinutes: 15 }), KitAuthBrowserModule];
