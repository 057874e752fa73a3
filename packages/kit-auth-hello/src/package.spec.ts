import { expect } from '@jest/globals';
import { describePackage } from 'test-support';
import * as api from './api.js';
import { helloOptions } from './hello.options.js';
import * as index from './index.js';

describePackage({
  at: import.meta.url,
  entries: { '': index, api },
  module: index.KitAuthHelloModule,
  definition: helloOptions,
  options: {},
  defaults: { greeting: 'Hello' },
  wrong: [[{ greeting: '' }, 'kit.auth.hello.greeting must be a string of 1 to 40 characters']],
  environment: [[{ KIT_AUTH_HELLO_GREETING: 'Hi' }, { greeting: 'Hi' }]],
  needs: { once: /There is more than one KitAuthHelloModule\.forRoot\(\)/ },
  requests: async (app, check) => {
    const { json } = check('GET hello', await app.call(await app.adminToken(), 'GET', 'hello'));
    expect(json).toEqual({ text: 'Hello, admin' });
  },
});
