// What clients and the application send each other: refresh tokens (`RefreshTokens`), fresh logins (`@RequireFresh()`) and
// logins with providers (`OidcStart`, `Callbacks`).
import { sequence } from './sequence.mjs';

const [CLIENT, APP, THIEF] = ['Client', 'Application', 'Thief'];

export const refresh = sequence({
  title: 'How refresh tokens are replaced, and how theft is noticed',
  actors: [CLIENT, APP, THIEF],
  steps: [
    { from: CLIENT, to: APP, text: ['POST login'] },
    { from: APP, to: CLIENT, text: [['good', 'token A']] },
    { note: ['Each refresh replaces the token'] },
    { from: CLIENT, to: APP, text: ['refresh with A'] },
    { from: APP, to: CLIENT, text: [['good', 'token B']] },
    { note: ['An answer was lost: the same client may', 'repeat its refresh for 30 seconds'] },
    { from: CLIENT, to: APP, text: ['refresh with A'] },
    { from: APP, to: CLIENT, text: [['good', 'token B again']] },
    { note: ['Somebody else has a copy of A'] },
    { from: THIEF, to: APP, text: ['refresh with A'] },
    { from: APP, to: THIEF, text: [['bad', '40101 reused']] },
    { note: ['Two clients had the token, so the login', 'ends for both'] },
    { from: CLIENT, to: APP, text: ['refresh with B'] },
    { from: APP, to: CLIENT, text: [['bad', '40101 reused']] },
  ],
});

export const stepUp = sequence({
  title: 'How a login is confirmed',
  actors: [CLIENT, APP],
  steps: [
    { note: ['The user logged in three hours ago'] },
    { from: CLIENT, to: APP, text: ['DELETE account', 'with the token'] },
    { from: APP, to: CLIENT, text: [['bad', '401, code 40120'], 'missing: password'] },
    { note: ['The client asks for the password. A thief', 'of the token does not know it'] },
    { from: CLIENT, to: APP, text: ['POST fresh', 'with the password'] },
    { from: APP, to: CLIENT, text: [['good', '200 with a new token']] },
    { note: ['For ten minutes, the login is fresh'] },
    { from: CLIENT, to: APP, text: ['DELETE account', 'with the new token'] },
    { from: APP, to: CLIENT, text: [['good', '200']] },
  ],
});

const [BROWSER, PROVIDER] = ['Browser', 'Provider'];

export const provider = sequence({
  title: 'How a user logs in with a provider',
  actors: [BROWSER, APP, PROVIDER],
  steps: [
    { from: BROWSER, to: APP, text: ['GET …/start'] },
    { from: APP, to: BROWSER, text: ['302 with state', 'and a cookie'] },
    { from: BROWSER, to: PROVIDER, text: ['who are you?'] },
    { from: PROVIDER, to: BROWSER, text: ['302 with code and state'] },
    { from: BROWSER, to: APP, text: ['GET …/callback', 'with the cookie'] },
    { note: ['State and cookie must belong together:', 'a callback of somebody else is refused'] },
    { from: APP, to: PROVIDER, text: ['the code'] },
    { from: PROVIDER, to: APP, text: ['ID token'] },
    { note: ['Is the identity linked to a user?'] },
    { from: APP, to: BROWSER, text: [['good', '302 to a page'], 'with cookies'] },
  ],
});
