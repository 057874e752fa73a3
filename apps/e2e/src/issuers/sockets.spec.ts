import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocketGateway } from '@nestjs/websockets';
import { RequirePermissions } from 'kit-auth';
import type { AuthUser } from 'kit-auth/typeorm';
import { KitAuthIssuersModule } from 'kit-auth-issuers';
import { freezeDate } from 'test-support';
import { fakeIssuer } from './app.js';
import { endsApp, isLive } from '../sockets/ends.suite.js';
import { Chatting } from '../sockets/gateways.js';

@WebSocketGateway({ path: '/notes' })
@RequirePermissions('note:read')
class NotesGateway extends Chatting {}

describe('sockets of users of another issuer', () => {
  let linked: AuthUser | undefined;
  const { fake, options } = fakeIssuer({ user: () => (linked ?? user()).id, cacheSeconds: 0 });
  const imports = [KitAuthIssuersModule.forRoot({ issuers: [options] })];
  const { app, user } = endsApp({ imports, providers: [NotesGateway] });

  afterEach(() => {
    linked = undefined;
  });

  it('open with their token, within the permissions of the user, and close with it', async () => {
    const socket = await app.connected(fake.token({ sub: 'ada' }));
    expect(await app.connect(fake.token({ sub: 'ada', aud: 'other' })).closed()).toBe('4401 malformed');
    expect(await app.connect(fake.token({ sub: 'ada' }), 'notes').closed()).toMatch(/^4403 /);
    await isLive(socket, user());
    const move = freezeDate();
    move(290_000);
    await isLive(socket, user());
    move(45_000);
    expect(await socket.closed()).toBe('4401 expired');
  });

  it('never become those of another user, who has the identity by now', async () => {
    const token = fake.token({ sub: 'ada' });
    const socket = await app.connected(token);
    linked = await app.user({ roles: ['editor'] });
    freezeDate()(45_000);
    expect(await socket.closed()).toBe('4401 revoked');
    const next = await app.connected(token);
    await isLive(next, linked);
  });
});
