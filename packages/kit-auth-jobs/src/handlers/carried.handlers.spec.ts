import { describe, expect, it } from '@jest/globals';
import { Controller, Injectable, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  IllegalStateException,
  KitAuthModule,
  OptionalUser,
  Public,
  RequirePermissions,
  RequireRoles,
  RequireToken,
} from 'kit-auth';
import { optionsFor, PlainUsersModule, testApp } from 'test-support';
import type { CarriedAudiences } from '../jobs.options.js';
import { KitAuthJobsModule } from '../kit-auth-jobs.module.js';
import { AsCarriedUser } from './as-carried-user.decorator.js';

const keys = ['j'.repeat(32)];

/** Why an application does not start. */
const refusalOf = (
  providers: Type[],
  controllers: Type[] = [],
  audiences: CarriedAudiences = { reports: { hours: 24 }, billing: { seconds: 60 } },
) =>
  testApp({
    database: false,
    core: KitAuthModule.forRoot({ users: PlainUsersModule }),
    imports: [KitAuthJobsModule.forRoot({ keys, audiences })],
    providers,
    controllers,
  }).then(
    () => 'It has started',
    (error: unknown) => error,
  );

describe('start-up', () => {
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
    expect(await refusalOf([Reports], [Bills])).toEqual(
      new IllegalStateException(
        "kit.auth.jobs.audiences has no audience of this name: @AsCarriedUser('bills') of Bills.create(), " +
          "@AsCarriedUser('report') of Reports.process(). Add it, or name one of reports, billing.",
      ),
    );
  });

  it('refuses access decorators on processors, because no guard reads them', async () => {
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
    expect(await refusalOf([Reports, Weekly])).toEqual(
      new IllegalStateException(
        'Access decorators have no effect on processors of jobs: Reports.above(), Reports.below(), Weekly.process(). ' +
          'Remove them, and check permissions in the code, for example with hasPermission().',
      ),
    );
  });

  it('refuses @AsCarriedUser() beside @Public(), with which no user is read', async () => {
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
    expect(await refusalOf([], [Bills, Orders])).toEqual(
      new IllegalStateException(
        '@AsCarriedUser() has no effect beside @Public(), with which handlers of messages have no user: Bills.create(), ' +
          'Orders.create(). Remove one of them.',
      ),
    );
  });

  it('wants an audience for each handler of messages where there are several', async () => {
    @Controller()
    class Bills {
      @MessagePattern('create')
      create() {}

      @MessagePattern('pay')
      @OptionalUser()
      pay() {}

      @MessagePattern('health')
      @Public()
      health() {}

      @MessagePattern('cancel')
      @AsCarriedUser('billing')
      cancel() {}
    }
    expect(await refusalOf([], [Bills])).toEqual(
      new IllegalStateException(
        'Handlers of messages need @AsCarriedUser(), because kit.auth.jobs.audiences has several audiences, and they would ' +
          'take the users of all of them: Bills.create(), Bills.pay(). Add it with one of reports, billing, also beside ' +
          '@OptionalUser(). Or open them with @Public().',
      ),
    );
    expect(await refusalOf([], [Bills], { billing: { seconds: 60 } })).toBe('It has started');
  });

  it.each(['jwt', 'stateless sessions'] as const)(
    'refuses audiences that need logins where none are known: %s',
    async (tokens) => {
      const jobs = KitAuthJobsModule.forRoot({
        keys,
        audiences: { reports: { hours: 24, needsLogin: true } },
      });
      await expect(testApp(optionsFor(tokens, jobs))).rejects.toThrow(
        new IllegalStateException(
          'kit.auth.jobs.audiences: needsLogin of reports cannot be checked, because no module knows which logins are ' +
            "live. Import KitAuthRefreshModule of 'kit-auth-refresh', or use KitAuthSessionModule of " +
            "'kit-auth-session' with stored sessions.",
        ),
      );
    },
  );
});
