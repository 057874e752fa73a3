import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { CurrentUser, KitAuthContext, type LoginUser, OptionalUser, Public, RequireRoles } from 'kit-auth';
import { defer, map, merge, NEVER, type Observable, Subject, timer } from 'rxjs';
import { ALL_BUT_DATE, BOTH, sharedTestApp, until } from 'test-support';
import { ClientsApp, type ClientsAppOptions } from '../access/clients-app.js';
import { EventStream } from './event-stream.js';

/** Never completes, as one that sends heartbeats. */
@Injectable()
class Endless implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return merge(next.handle(), NEVER);
  }
}

@Controller('v1/feed')
class FeedController {
  static readonly source = new Subject<string>();

  constructor(private readonly context: KitAuthContext) {}

  @Sse()
  feed(@CurrentUser() user: LoginUser): Observable<MessageEvent> {
    return this.events(user);
  }

  @Sse('later')
  async later(@CurrentUser() user: LoginUser): Promise<Observable<MessageEvent>> {
    await setImmediate();
    return this.events(user);
  }

  @Sse('edits')
  @RequireRoles('editor')
  edits(@CurrentUser() user: LoginUser): Observable<MessageEvent> {
    return this.events(user);
  }

  @Sse('open')
  @Public()
  open(): Observable<MessageEvent> {
    return this.events();
  }

  @Sse('offers')
  @OptionalUser()
  offers(@CurrentUser() user?: LoginUser): Observable<MessageEvent> {
    return this.events(user);
  }

  @Sse('failing')
  failing(): Observable<MessageEvent> {
    throw new Error('It fails');
  }

  @Get('plain')
  plain() {
    return 'plain';
  }

  /** Events of a source have the context of whoever publishes them. */
  private events(user?: LoginUser): Observable<MessageEvent> {
    const hello = defer(() => timer(0)).pipe(map(() => ({ data: `hello ${this.context.get()?.username}` })));
    return merge(
      hello,
      FeedController.source.pipe(map((text) => ({ data: `${text} for ${user?.username}` }))),
    );
  }
}

@Controller('v1/endless')
@UseInterceptors(Endless)
class EndlessController {
  @Sse()
  feed(): Observable<MessageEvent> {
    return FeedController.source.pipe(map((data) => ({ data })));
  }
}

class FeedApp extends ClientsApp<EventStream> {
  constructor(options: ClientsAppOptions) {
    super({ ...options, controllers: [FeedController, EndlessController] });
  }

  stream(token: string | undefined, path = 'feed'): Promise<EventStream> {
    return this.add(new EventStream(this.port, `/v1/${path}`, token)).opened();
  }

  async openOf(username: string): Promise<number> {
    const { id } = await this.users.findOneByOrFail({ username });
    return this.registry.ofUser(id).length;
  }
}

const WHERE = [
  { platform: BOTH[0], provider: 'session' },
  { platform: BOTH[1], provider: 'jwt' },
] as const;

describe.each(WHERE)('server-sent events on $platform with $provider', (where) => {
  const app = sharedTestApp(new FeedApp({ ...where, admin: true, sockets: { maxPerUser: 3 } }));
  const { source } = FeedController;
  let token: string;

  beforeAll(async () => {
    await app.role({ code: 'editor' });
    await app.user({ username: 'ada' });
  });
  beforeEach(async () => {
    token = await app.tokenOf('ada');
  });
  afterEach(async () => {
    jest.useRealTimers();
    app.leaveAll();
    await until(() => (source.observed ? undefined : true));
  });

  it('know their user in the handler and in the stream', async () => {
    for (const path of ['feed', 'feed/later']) {
      const stream = await app.stream(token, path);
      source.next('one');
      await stream.has('one for ada');
      await stream.has('hello ada');
      stream.leave();
      await until(() => (source.observed ? undefined : true));
    }
    expect(await app.openOf('ada')).toBe(0);
  });

  it('are refused like other requests', async () => {
    const anybody = await app.stream(undefined);
    expect([anybody.status, anybody.text]).toEqual([401, expect.stringContaining('40100')]);
    const reader = await app.stream(token, 'feed/edits');
    expect([reader.status, reader.text]).toEqual([403, expect.stringContaining('40300')]);
    expect((await app.stream(token, 'feed/failing')).text).not.toContain('It fails');
    expect(await app.openOf('ada')).toBe(0);
  });

  it('end when their user loses the role', async () => {
    const admin = await app.adminToken();
    const user = await app.user({ roles: ['editor'] });
    const login = await app.tokenOf(user);
    const [edits, feed] = [await app.stream(login, 'feed/edits'), await app.stream(login)];
    await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [] });
    expect(await edits.closed()).toBe('ended');
    source.next('still');
    await feed.has(`still for ${user.username}`);
    expect((await app.stream(await app.tokenOf(user), 'feed/edits')).status).toBe(403);
  });

  it('count as sockets of their user', async () => {
    await Promise.all([1, 2, 3].map(() => app.stream(token)));
    expect((await app.stream(token)).text).toContain('too-many-sockets');
  });

  it('end even if an interceptor keeps the response open', async () => {
    const stream = await app.stream(token, 'endless');
    const { id } = await app.users.findOneByOrFail({ username: 'ada' });
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE.filter((name) => name !== 'setTimeout'), 'Date'] });
    await app.registry.close(app.registry.ofUser(id));
    jest.advanceTimersByTime(3000);
    jest.useRealTimers();
    expect(await stream.closed()).toBe('aborted');
  });
});

describe('a login', () => {
  const app = sharedTestApp(new FeedApp({ platform: 'fastify', provider: 'session' }));

  it('ends its server-sent events, and no others', async () => {
    await app.user({ username: 'ada' });
    const [one, two] = [await app.tokenOf('ada'), await app.tokenOf('ada')];
    const ending = [await app.stream(one), await app.stream(one, 'feed/offers')];
    const anybody = [await app.stream(undefined, 'feed/offers'), await app.stream(undefined, 'feed/open')];
    const staying = await app.stream(two);
    await app.call(one, 'POST', 'logout');
    expect(await Promise.all(ending.map((stream) => stream.closed()))).toEqual(['ended', 'ended']);
    FeedController.source.next('after');
    await staying.has('after for ada');
    await Promise.all(anybody.map((stream) => stream.has('after for undefined')));
    expect(ending.map(({ events }) => events)).toEqual([['hello ada'], ['hello ada']]);
  });

  it('costs other handlers nothing', () => {
    const interceptorsOf = (name: 'plain' | 'feed') =>
      Reflect.getMetadata(INTERCEPTORS_METADATA, Reflect.get(FeedController.prototype, name)) as
        unknown[] | undefined;
    expect([interceptorsOf('feed')?.length, interceptorsOf('plain')]).toEqual([1, undefined]);
  });
});
