import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, NotFoundException, Scope } from '@nestjs/common';
import {
  type AuthPolicy,
  Authorize,
  IllegalStateException,
  Public,
  RequireRoles,
  RouteAccessReport,
} from 'kit-auth';
import { sharedTestApp, testApp } from 'test-support';

@Injectable()
class HidingPolicy implements AuthPolicy {
  can(): boolean {
    throw new NotFoundException();
  }
}

/** Answers as some query builders do: with something that has `then`, and is no Promise. */
@Injectable()
class ThenablePolicy implements AuthPolicy {
  can(): PromiseLike<boolean> {
    return { then: (resolve: any) => Promise.resolve(true).then(resolve) } as PromiseLike<boolean>;
  }
}
@Injectable()
class RefusingThenablePolicy implements AuthPolicy {
  can(): PromiseLike<boolean> {
    return { then: (resolve: any) => Promise.resolve(false).then(resolve) } as PromiseLike<boolean>;
  }
}

@Controller('v1/bound')
class BoundController {
  constructor() {
    this.secret = this.secret.bind(this);
    this.open = this.open.bind(this);
    const original = this.wrapped.bind(this);
    this.wrapped = () => original();
  }

  @Get('secret')
  @RequireRoles('editor')
  secret() {
    return 'secret';
  }

  @Get('open')
  @Public()
  open() {
    return 'open';
  }

  @Get('wrapped')
  @RequireRoles('editor')
  wrapped() {
    return 'secret';
  }
}

@Controller('bound-outside')
class InheritingController extends BoundController {}

@Controller({ path: 'v1/scoped', scope: Scope.REQUEST })
class ScopedController {
  constructor() {
    this.bound = this.bound.bind(this);
    this.wrapped = () => 'secret';
  }

  @Get('bound')
  @RequireRoles('editor')
  bound() {
    return 'secret';
  }

  @Get('wrapped')
  @RequireRoles('editor')
  wrapped() {
    return 'secret';
  }
}

@Controller('v1/ordered')
class OrderedController {
  @Get('hidden')
  @Authorize(HidingPolicy)
  @RequireRoles('editor')
  hidden() {
    return 'secret';
  }

  @Get('thenable')
  @Authorize(ThenablePolicy)
  thenable() {
    return 'allowed';
  }

  @Get('refusing')
  @Authorize(RefusingThenablePolicy)
  refusing() {
    return 'secret';
  }
}

@Controller('v1/shared')
class SharedController {
  constructor() {
    Object.assign(this, { secret: Reflect.get(this, 'open') });
  }

  @Get('secret')
  @RequireRoles('editor')
  secret() {
    return 'secret';
  }

  @Get('open')
  open() {
    return 'open';
  }
}

describe('handlers', () => {
  const app = sharedTestApp({
    controllers: [BoundController, InheritingController, ScopedController, OrderedController],
    providers: [HidingPolicy, ThenablePolicy, RefusingThenablePolicy],
    configure: (nest) =>
      nest.use((incoming: { raw?: unknown }, _response: unknown, next: () => void) => {
        incoming.raw = { not: 'a request' };
        next();
      }),
  });
  let tokens: Record<'plain' | 'editor', string>;
  beforeAll(async () => {
    tokens = { plain: await app.issueToken(), editor: await app.issueToken({ roles: ['editor'] }) };
  });

  const ask = (path: string, who?: keyof typeof tokens) => app.codeOf(who && tokens[who], path);

  it.each([
    '/v1/bound/secret',
    '/v1/bound/wrapped',
    '/bound-outside/secret',
    '/bound-outside/wrapped',
    '/v1/scoped/bound',
  ])('%s keeps its requirements though the instance has replaced the method', async (path) => {
    expect([await ask(path), await ask(path, 'plain'), await ask(path, 'editor')]).toEqual([
      40100, 40300, 200,
    ]);
  });

  it('stay public though the instance has replaced the method', async () => {
    expect(await ask('/v1/bound/open')).toBe(200);
  });

  it('never run where a request-scoped instance hides which method they are', async () => {
    expect([await ask('/v1/scoped/wrapped'), await ask('/v1/scoped/wrapped', 'plain')]).toEqual([500, 500]);
    expect(app.logs.all()).toContain('ScopedController replaces one of its handlers');
  });

  it('are reported with their requirements', () => {
    const required = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ path }) => /bound|scoped/.test(path) && !path.endsWith('open'));
    expect(required.map(({ requires }) => requires)).toEqual(
      required.map(() => [{ kind: 'role', names: ['editor'], mode: 'all' }]),
    );
  });

  it('check roles before policies, however they are written', async () => {
    expect([await ask('/v1/ordered/hidden', 'plain'), await ask('/v1/ordered/hidden', 'editor')]).toEqual([
      40300, 404,
    ]);
  });

  it('accept any thenable as the answer of a policy', async () => {
    expect([await ask('/v1/ordered/thenable', 'plain'), await ask('/v1/ordered/refusing', 'plain')]).toEqual([
      200, 40300,
    ]);
  });

  it('end start-up where one function replaces several methods', async () => {
    const attempt = testApp({ controllers: [SharedController] });
    await expect(attempt).rejects.toThrow(IllegalStateException);
    await expect(attempt).rejects.toThrow('SharedController.secret');
  });
});
