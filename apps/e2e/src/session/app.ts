import { Controller, Delete, Get, Param } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';
import { SessionManager } from 'kit-auth-session';
import { TestApp, type TestAppOptions } from 'test-support';

@Controller('v1/sessions')
class SessionsController {
  constructor(
    private readonly sessions: SessionManager,
    private readonly context: KitAuthContext,
  ) {}

  @Get('current')
  current() {
    return { id: this.sessions.currentId() };
  }

  /** `DELETE sessions` of a request that is let in now and goes on when `gate` opens. */
  @Delete('others')
  async endOthers() {
    const { userId } = this.context.getOrThrow();
    gate.entered();
    await gate.opened;
    await this.sessions.endAllOf(userId, { exceptId: this.sessions.currentId(), reason: 'logged-out' });
  }

  /** The same for `DELETE sessions/{id}`. */
  @Delete(':id')
  async end(@Param('id') id: string) {
    const { userId } = this.context.getOrThrow();
    gate.entered();
    await gate.opened;
    return { ended: await this.sessions.end(userId, id, 'logged-out') };
  }
}

/** Holds requests back between the guard and what they do. */
export const gate = {
  entered: (): void => undefined,
  opened: Promise.resolve(),

  /** @returns what opens it again */
  close(): { open: () => void; entered: Promise<void> } {
    let open = (): void => undefined;
    gate.opened = new Promise((resolve) => (open = resolve));
    const entered = new Promise<void>((resolve) => (gate.entered = resolve));
    return { open, entered };
  },
};

/** An application with sessions. */
export class SessionApp extends TestApp {
  constructor(options: TestAppOptions = {}) {
    super({ provider: 'session', controllers: [SessionsController], ...options });
  }

  get sessions(): SessionManager {
    return this.get(SessionManager);
  }

  me(token: string) {
    return this.call(token, 'GET', 'me');
  }

  /** The id of a token's session. */
  async idOf(token: string): Promise<string> {
    return (await this.request('/v1/sessions/current', { token })).json.id;
  }
}

/** The random part of a token, which may have the separator in it. */
export function secretOf(token: string): string {
  return /^kats_[0-9a-z]+_(.{43})_/.exec(token)![1]!;
}
