import { PASSWORD, describeEndpoints, describeExports, testApp } from 'test-support';
import * as api from './api.js';
import * as classValidator from './class-validator.js';
import * as cli from './cli.js';
import * as feature from './feature.js';
import * as index from './index.js';
import * as login from './login.js';
import * as openapi from './openapi.js';
import * as store from './store.js';
import * as tools from './tools.js';
import * as typeorm from './typeorm.js';

// The options are in config/kit-auth.options.spec.ts and config/kit-auth.config.spec.ts.
describeExports(
  {
    at: import.meta.url,
    entries: {
      '': index,
      api,
      'class-validator': classValidator,
      cli,
      feature,
      login,
      openapi,
      store,
      tools,
      typeorm,
    },
  },
  ['Budget', 'OptionsDefinition', 'RateLimit', 'Switchable'],
);

describeEndpoints(
  () => testApp({ provider: 'session' }),
  async (app, check) => {
    const { username } = await app.user();
    const credentials = { username, password: PASSWORD };
    const login = async () => {
      const { json } = check('POST login', await app.call(undefined, 'POST', 'login', credentials));
      return json.token as string;
    };
    check('POST login', await app.call(undefined, 'POST', 'login', { username }));
    check('POST login', await app.call(undefined, 'POST', 'login', { username, password: 'wrong' }));
    const [token] = [await login(), await login(), await login()];
    check('GET me', await app.call(token, 'GET', 'me'));
    check('GET me', await app.call('x', 'GET', 'me'));
    check('POST fresh', await app.call(token, 'POST', 'fresh', { password: 'wrong' }));
    const { json } = check('POST fresh', await app.call(token, 'POST', 'fresh', { password: PASSWORD }));
    const sessions = check('GET sessions', await app.call(json.token, 'GET', 'sessions')).json;
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    check('DELETE sessions/{id}', await app.call(json.token, 'DELETE', 'sessions/unknown'));
    check('DELETE sessions/{id}', await app.call(json.token, 'DELETE', `sessions/${id}`));
    check('DELETE sessions', await app.call(json.token, 'DELETE', 'sessions'));
    const change = { currentPassword: PASSWORD, newPassword: 'another right one 4712' };
    check(
      'POST password',
      await app.call(json.token, 'POST', 'password', { ...change, newPassword: 'short' }),
    );
    check('POST password', await app.call(json.token, 'POST', 'password', change));
    check('POST logout', await app.call(json.token, 'POST', 'logout'));
  },
);
