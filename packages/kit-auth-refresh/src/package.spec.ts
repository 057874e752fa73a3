import { describePackage } from 'test-support';
import * as api from './api.js';
import * as index from './index.js';
import { refreshOptions } from './refresh.options.js';
import * as typeorm from './typeorm.js';

describePackage({
  at: import.meta.url,
  entries: { '': index, api, typeorm },
  module: index.KitAuthRefreshModule,
  definition: refreshOptions,
  options: {},
  defaults: {
    accessMinutes: 10,
    lifetimeDays: 30,
    idleDays: 7,
    graceSeconds: 30,
    graceFor: 'address',
    checkSeconds: 5,
    maxPerUser: undefined,
    overflow: 'end-oldest',
  },
  wrong: [
    [
      {
        accessMinutes: 61,
        lifetimeDays: 366,
        idleDays: 1.5,
        graceSeconds: 301,
        graceFor: 'everyone',
        checkSeconds: 3601,
        maxPerUser: 0,
        overflow: 'drop',
      },
      'kit.auth.refresh.accessMinutes must be a whole number from 1 to 60',
      'kit.auth.refresh.lifetimeDays must be a whole number from 1 to 365',
      'kit.auth.refresh.idleDays must be a whole number from 1 to 365',
      'kit.auth.refresh.graceSeconds must be a whole number from 0 to 300',
      "kit.auth.refresh.graceFor must be 'address' or 'anyone'",
      'kit.auth.refresh.checkSeconds must be false, or a whole number of seconds from 0 to 3600',
      'kit.auth.refresh.maxPerUser must be a whole number from 1 to 10000',
      "kit.auth.refresh.overflow must be 'end-oldest' or 'refuse'",
    ],
    [
      { accessMinutes: 0, graceSeconds: -1, checkSeconds: true },
      'kit.auth.refresh.accessMinutes must be a whole number from 1 to 60',
      'kit.auth.refresh.graceSeconds must be a whole number from 0 to 300',
      'kit.auth.refresh.checkSeconds must be false, or a whole number of seconds from 0 to 3600',
    ],
  ],
  environment: [
    [
      {
        KIT_AUTH_REFRESH_ACCESS_MINUTES: '60',
        KIT_AUTH_REFRESH_LIFETIME_DAYS: '365',
        KIT_AUTH_REFRESH_IDLE_DAYS: '1',
        KIT_AUTH_REFRESH_GRACE_SECONDS: '0',
        KIT_AUTH_REFRESH_GRACE_FOR: 'anyone',
        KIT_AUTH_REFRESH_CHECK_SECONDS: 'false',
        KIT_AUTH_REFRESH_MAX_PER_USER: '1',
        KIT_AUTH_REFRESH_OVERFLOW: 'refuse',
      },
      {
        accessMinutes: 60,
        lifetimeDays: 365,
        idleDays: 1,
        graceSeconds: 0,
        graceFor: 'anyone',
        checkSeconds: false,
        maxPerUser: 1,
        overflow: 'refuse',
      },
    ],
    [{ KIT_AUTH_REFRESH_CHECK_SECONDS: '60' }, { checkSeconds: 60 }],
  ],
  needs: {
    proof: /cannot be used with plain: its tokens do not say which login they belong to/,
    tables: /the table auth_login is missing/,
    once: /There is more than one AuthLogins: .*Import only one of these modules/,
  },
  requests: async (app, check) => {
    const user = await app.user();
    const { json: login } = await app.login(user.username);
    const path = 'token/refresh';
    const { json } = check(
      'POST token/refresh',
      await app.call(undefined, 'POST', path, { refreshToken: login.refreshToken }),
    );
    check('POST token/refresh', await app.call(undefined, 'POST', path, {}));
    check('POST token/refresh', await app.call(undefined, 'POST', path, { refreshToken: 'x' }));
    check(
      'POST token/end',
      await app.call(undefined, 'POST', 'token/end', { refreshToken: json.refreshToken }),
    );
    check('POST token/end', await app.call(undefined, 'POST', 'token/end', {}));
  },
});
