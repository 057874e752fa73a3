// The demo provider: OpenID Connect for trying it, without an account at a company. Whoever types a name is that person.
// It runs in a process of its own, which ends with the demo, and keeps its accounts in memory.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { loginPage, logoutPage, messagePage } from './pages.js';

const NAME = { maxLength: 32, pattern: '[A-Za-z0-9]+([.\\-][A-Za-z0-9]+)*' };
const SCOPES = 'openid email profile';
const HOUR = 3600;
const MAX_FORM_BYTES = 4096;

/** @param ports the first that is free is used @returns the server, and its port */
async function listen(ports) {
  const server = createServer();
  for (const port of ports) {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return { server, port: server.address().port };
    } catch (error) {
      if (error.code !== 'EADDRINUSE') {
        throw error;
      }
    }
  }
  throw Object.assign(new Error(), { code: 'EADDRINUSE' });
}

function newSigningKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'demo' };
}

/** By `sub`, which is the name in lower case. */
const accounts = new Map();

function accountOf(sub) {
  const account = accounts.get(sub);
  return (
    account && {
      accountId: sub,
      claims: () => ({
        sub,
        name: account.name,
        email: `${sub}@provider.example`,
        email_verified: account.isVerified,
      }),
    }
  );
}

function createProvider(issuer, client) {
  return new Provider(issuer, {
    clients: [client],
    jwks: { keys: [newSigningKey()] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = logoutPage(form);
        },
        postLogoutSuccessSource: (ctx) => {
          ctx.body = messagePage('You are logged out', 'Close this page, or go back to the demo.');
        },
      },
      backchannelLogout: { enabled: true },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => accountOf(sub),
    pkce: { required: () => true },
    ttl: { Session: 24 * HOUR, Grant: 24 * HOUR, AccessToken: HOUR, IdToken: HOUR, Interaction: HOUR },
    renderError: (ctx, { error, error_description: description }) => {
      ctx.type = 'html';
      ctx.body = messagePage('The demo provider cannot do this', description ?? error);
    },
    // It refuses addresses of this machine otherwise, and calls the demo when a user logs out.
    fetch: (url, { dispatcher: _, ...init }) => globalThis.fetch(url, init),
  });
}

async function formOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('latin1')) {
    text += chunk;
    if (text.length > MAX_FORM_BYTES) {
      return new URLSearchParams();
    }
  }
  return new URLSearchParams(text);
}

/** @param origin of the demo, to which the form leads back */
function show(response, status, html, origin) {
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        `default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self' ${origin}; ` +
        "base-uri 'none'; frame-ancestors 'none'",
    })
    .end(html);
}

/** Asks who the user is. A user who is known agrees to everything. */
async function interact(provider, origin, request, response) {
  const details = await provider.interactionDetails(request, response);
  const finish = (result, mergeWithLastSubmission) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission });
  const agree = async (accountId) => {
    const { grantId, params } = details;
    const known = grantId && (await provider.Grant.find(grantId));
    const grant = known || new provider.Grant({ accountId, clientId: params.client_id });
    grant.addOIDCScope(SCOPES);
    return { consent: { grantId: await grant.save() } };
  };

  if (details.prompt.name !== 'login') {
    return finish(await agree(details.session.accountId), true);
  }
  if (request.method !== 'POST') {
    return show(response, 200, loginPage(NAME), origin);
  }
  const form = await formOf(request);
  if (form.get('answer') === 'cancel') {
    return finish({ error: 'access_denied', error_description: 'The user has cancelled' }, false);
  }
  const name = (form.get('name') ?? '').trim();
  if (name.length > NAME.maxLength || !new RegExp(`^(?:${NAME.pattern})$`).test(name)) {
    const problem = 'A name has letters and digits, with dots or hyphens between them.';
    return show(response, 400, loginPage({ ...NAME, name, problem }), origin);
  }
  const sub = name.toLowerCase();
  accounts.set(sub, { name, isVerified: form.has('verified') });
  return finish({ login: { accountId: sub }, ...(await agree(sub)) }, false);
}

/** @returns the port */
async function start({ ports, client }) {
  const { server, port } = await listen(ports);
  const provider = createProvider(`http://localhost:${port}`, client);
  const [redirectUri] = client.redirect_uris;
  const { origin } = new URL(redirectUri);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/interaction/')) {
      answer(request, response);
      return;
    }
    interact(provider, origin, request, response).catch(() => {
      const text = 'This login has ended. Go back to the demo, and begin again.';
      show(response, 400, messagePage('The login has ended', text), origin);
    });
  });
  return port;
}

process.once('message', async (options) => {
  try {
    process.send({ port: await start(options) });
  } catch (error) {
    process.send({ problem: error.code ?? error.message });
  }
});
process.on('disconnect', () => process.exit()); // the demo has ended, in whatever way
process.on('SIGINT', () => {}); // of the terminal: the demo ends its requests first
