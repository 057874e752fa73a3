import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  CurrentUser,
  IllegalStateException,
  KitAuthContext,
  type LoginUser,
  OptionalUser,
  Public,
  RequirePermissions,
  RequireRoles,
  RequireToken,
  RouteAccessReport,
} from 'kit-auth';
import { AsCarriedUser, KitAuthJobsModule, type KitAuthJobsOptions } from 'kit-auth-jobs';
import { optionsFor, testApp, TOKENS } from 'test-support';
import { JOBS, JobsApp } from './app.js';
import { NEEDY } from './logins.suite.js';

describe('the start of an application with jobs', () => {
  it.each(TOKENS)('needs logins that can be asked, for audiences that need them: %s', async (tokens) => {
    const starting = new JobsApp({ ...optionsFor(tokens), jobs: NEEDY }).start();
    if (tokens === 'jwt' || tokens === 'stateless sessions') {
      await expect(starting).rejects.toThrow(
        new IllegalStateException(
          'kit.auth.jobs.audiences: needsLogin of reports cannot be checked, because no module knows which logins are ' +
            "live. Import KitAuthRefreshModule of 'kit-auth-refresh', or use KitAuthSessionModule of " +
            "'kit-auth-session' with stored sessions.",
        ),
      );
    } else {
      await starting;
    }
  });

  it('needs its options', async () => {
    await expect(testApp({ imports: [KitAuthJobsModule.forRoot()] })).rejects.toThrow(
      'The configuration is invalid: kit.auth.jobs.keys is missing: at least one secret of 32 bytes or more, such as the ' +
        'output of npx kit-auth secret; kit.auth.jobs.audiences is missing: who users are carried to, such as ' +
        '{ reports: { hours: 24 } }.',
    );
  });

  it('can get its options from KitAuthModule and from a factory', async () => {
    const { keys, audiences } = JOBS as Required<KitAuthJobsOptions>;
    await testApp({
      options: { jobs: { keys } },
      imports: [KitAuthJobsModule.forRootAsync({ useFactory: async () => ({ audiences }) })],
    });
  });

  it('refuses a second import', async () => {
    const imports = [KitAuthJobsModule.forRoot(JOBS), KitAuthJobsModule.forRoot({ ...JOBS, rpc: 'allow' })];
    await expect(testApp({ imports })).rejects.toThrow(
      'The credentials "carried" and "carried" both resolve tokens that begin with "kapj_". Give each its own prefix, or ' +
        'import their module once.',
    );
  });

  it('refuses unknown audiences of decorators', async () => {
    @Injectable()
    class Reports {
      @AsCarriedUser('report')
      process() {}
    }
    @Controller()
    class Bills {
      @MessagePattern('bill')
      @AsCarriedUser('bills')
      create() {}
    }
    await expect(new JobsApp({ providers: [Reports], controllers: [Bills] }).start()).rejects.toThrow(
      "kit.auth.jobs.audiences has no audience of this name: @AsCarriedUser('bills') of Bills.create(), " +
        "@AsCarriedUser('report') of Reports.process(). Add it, or name one of reports, billing.",
    );
  });
});

describe('access decorators on processors', () => {
  it('end the start, because no guard reads them', async () => {
    @Injectable()
    class Reports {
      @RequirePermissions('report:create')
      @AsCarriedUser('reports')
      above() {}

      @AsCarriedUser('reports')
      @RequireRoles('editor')
      below() {}

      @AsCarriedUser('reports')
      @Public()
      open() {}
    }
    @RequireToken()
    @Injectable()
    class Weekly {
      @AsCarriedUser('reports')
      process() {}
    }
    await expect(new JobsApp({ providers: [Reports, Weekly] }).start()).rejects.toThrow(
      new IllegalStateException(
        'Access decorators have no effect on processors of jobs: Reports.above(), Reports.below(), Weekly.process(). ' +
          'Remove them, and check permissions in the code, for example with hasPermission().',
      ),
    );
  });
});

describe('@AsCarriedUser() on handlers of messages', () => {
  it('ends the start beside @Public(), with which no user is read', async () => {
    @Controller()
    class Bills {
      @MessagePattern('bill')
      @Public()
      @AsCarriedUser('billing')
      create() {}

      @MessagePattern('pay')
      @OptionalUser()
      @AsCarriedUser('billing')
      pay() {}
    }
    @Public()
    @Controller()
    class Orders {
      @MessagePattern('order')
      @AsCarriedUser('billing')
      create() {}

      @MessagePattern('cancel')
      @RequireToken()
      @AsCarriedUser('billing')
      cancel() {}
    }
    await expect(new JobsApp({ controllers: [Bills, Orders] }).start()).rejects.toThrow(
      new IllegalStateException(
        '@AsCarriedUser() has no effect beside @Public(), with which handlers of messages have no user: Bills.create(), ' +
          'Orders.create(). Remove one of them.',
      ),
    );
  });
});

describe('jobs of an application whose kit-auth is off', () => {
  it('run without a user, whatever they carry', async () => {
    const on = await new JobsApp().start();
    const sent = await on.carry(await on.adminToken());
    for (const jobs of [JOBS, {}]) {
      const app = await new JobsApp({ options: { enabled: false }, jobs }).start();
      const seen = () => app.get(KitAuthContext).get();
      expect(app.carrier.data('reports', { month: 'May' })).toEqual({ month: 'May' });
      expect(app.carrier.headers('reports', 'text')).toEqual({});
      for (const data of [sent, { ...sent, month: 'June' }, { month: 'May' }]) {
        expect(await app.carrier.resume('reports', data, (user) => [user, seen()])).toEqual([
          undefined,
          undefined,
        ]);
      }
    }
  });
});

describe('the routes of an application with jobs', () => {
  it('are as before, also beside handlers of messages', async () => {
    @Controller('v1/mixed')
    class Mixed {
      @Get()
      list(@CurrentUser() { username }: LoginUser) {
        return { username };
      }

      @MessagePattern('mixed')
      answer() {}
    }
    const app = await new JobsApp({ controllers: [Mixed] }).start();
    const token = await app.adminToken();
    expect((await app.request('/v1/mixed', { token })).json).toEqual({ username: 'admin' });
    expect(await app.codeOf(undefined, '/v1/mixed')).toBe(40100);
    const routes = app.get(RouteAccessReport).routes();
    expect(routes.flatMap(({ credentials = [] }) => credentials)).not.toContain('carried');
  });
});
