// The ways of a request and of a login, and the rule for cookies. Behind them are the guard, `LoginFlow` and `OriginRule`.
import { flow } from './flow.mjs';

const guard = (steps) => steps.map((step) => ({ ...step, group: 'Guard' }));

export const request = flow({
  title: 'How a request is handled',
  steps: [
    { name: 'Request', text: ['has a token: in a header or cookie'] },
    { name: 'Context', text: ['holds the user of this request'] },
    { name: 'Router', text: ['Express or Fastify finds the handler'] },
    ...guard([
      {
        name: '1. Is the route protected?',
        text: ['decorators, protect, white-list,', 'optional'],
        out: ['no'],
        skipTo: 'Handler',
      },
      {
        name: '2. Transport',
        text: ['reads the token'],
        out: ['none:', ['bad', '40100'], 'optional:', ['good', 'no user']],
      },
      {
        name: '3. Provider',
        text: ['finds the user of the token: in the', 'token, or in the stores'],
        out: ['invalid:', ['bad', '40101']],
      },
      {
        name: '4. Decision',
        text: [
          'compares the user with what the',
          'route requires: roles, permissions,',
          'policies, a fresh login',
        ],
        out: ['missing:', ['bad', '40300'], 'too old:', ['bad', '40120']],
      },
    ]),
    { name: 'Handler', text: ['your code: @CurrentUser()'] },
  ],
});

export const login = flow({
  title: 'How a login is handled',
  steps: [
    {
      name: 'POST login',
      text: ['a public route, takes username and', 'password'],
      out: ['invalid:', ['bad', '40000']],
    },
    {
      name: 'Throttle',
      text: ['counts the attempt, by account and', 'by address'],
      out: ['wait:', ['bad', '42900']],
    },
    { name: 'User store', text: ['finds the account. An unknown one', 'takes as long as a known one'] },
    {
      name: 'Password',
      text: ['is compared with the stored hash'],
      out: ['wrong:', ['bad', '40110']],
    },
    {
      name: 'Account',
      text: ['is it enabled?'],
      out: ['disabled:', ['bad', '40111']],
    },
    {
      name: 'Login steps',
      text: ['a second factor, your own steps'],
      out: ['factor:', ['bad', '40112']],
    },
    { name: 'Provider', text: ['issues the token, and stores the', 'session if it has sessions'] },
    {
      name: 'Answer',
      text: ['the user and the token, in the body', 'or in a cookie'],
      out: [['good', '200']],
    },
  ],
});

export const origins = flow({
  title: 'The origin rule of kit-auth-browser',
  steps: [
    {
      name: 'Is the request checked?',
      text: [
        'with a cookie: upgrades, and methods',
        'other than GET, HEAD, OPTIONS; of all',
        'browsers: POST login, token/refresh,',
        'token/end',
      ],
      out: ['no:', ['good', 'passes']],
    },
    { name: 'Two Origin headers?', out: ['yes:', ['bad', '40302']] },
    {
      name: '1. Origin in origins?',
      text: ['the option of kit-auth-browser'],
      out: ['yes:', ['good', 'passes']],
    },
    {
      name: '2. Is there a Sec-Fetch-Site?',
      text: ['all current browsers send it; none', 'passes too, unless it is a prefetch'],
      out: ['same-origin:', ['good', 'passes'], 'other:', ['bad', '40302']],
    },
    {
      name: '3. Origin of the own host?',
      text: ['the host, the port and the scheme', 'of the request'],
      out: ['yes:', ['good', 'passes']],
    },
    { name: '4. Refused', text: ['the login stays valid'], out: [['bad', '40302']] },
  ],
});
