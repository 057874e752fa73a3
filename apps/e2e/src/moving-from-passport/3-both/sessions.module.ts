import { Module } from '@nestjs/common';
import { AUTH_CREDENTIAL } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';
import { OldTokens, OldTokensModule } from './old-tokens.js';

/** Instead of OldAndNewTokensModule: new tokens are sessions. */
@Module({
  imports: [KitAuthSessionModule.forRoot({ store: 'memory' }), OldTokensModule],
  providers: [{ provide: AUTH_CREDENTIAL, useExisting: OldTokens }],
})
export class OldTokensAndSessionsModule {}
