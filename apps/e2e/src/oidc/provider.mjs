// A provider in a process of its own: node oidc-provider.mjs <options as JSON>. Prints its issuer when it listens.
// Its user logs in at once, as POST /control says.
import { createServer } from 'node:http';
import Provider, { errors } from 'oidc-provider';

const { clients, host = 'localhost', resources = {} } = JSON.parse(process.argv[2]);
const server = createServer().listen(0, '127.0.0.1', () => {
  const issuer = `http://${host}:${server.address().port}`;
  const accounts = new Map();
  /** @type {{ sub?: string, deny?: boolean }} */
  let control = {};
  const provider = new Provider(issuer, {
    clients,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      resourceIndicators: {
        enabled: Object.keys(resources).length > 0,
        getResourceServerInfo: (_ctx, resource) => {
          if (!Object.hasOwn(resources, resource)) {
            throw new errors.InvalidTarget();
          }
          return { scope: resources[resource], accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };
        },
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: true,
        name: id,
        ...accounts.get(id),
      }),
    }),
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    ttl: { Session: 3600, Grant: 3600, AccessToken: 600, IdToken: 600, Interaction: 600 },
    renderError: (ctx, out) => {
      ctx.type = 'json';
      ctx.body = out;
    },
    // It refuses addresses of this machine otherwise.
    fetch: (url, { dispatcher: _, ...init }) => globalThis.fetch(url, init),
  });
  const answer = provider.callback();
  server.on('request', async (request, response) => {
    const { pathname } = new URL(request.url, issuer);
    if (pathname === '/control') {
      const chunks = [];
      for await (const chunk of request) {
        chunks.push(chunk);
      }
      const { accounts: given = {}, ...rest } = JSON.parse(Buffer.concat(chunks).toString());
      Object.entries(given).forEach(([id, claims]) => accounts.set(id, claims));
      control = rest;
      response.end();
      return;
    }
    if (pathname.startsWith('/interaction/')) {
      const { prompt, params, grantId, session } = await provider.interactionDetails(request, response);
      if (control.deny) {
        const result = { error: 'access_denied', error_description: 'The user has refused' };
        await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
        return;
      }
      const accountId = prompt.name === 'login' ? control.sub : session.accountId;
      const grant =
        (grantId && (await provider.Grant.find(grantId))) ??
        new provider.Grant({ accountId, clientId: params.client_id });
      grant.addOIDCScope('openid email profile');
      Object.entries(resources).forEach(([resource, scope]) => grant.addResourceScope(resource, scope));
      const result = {
        login: { accountId, amr: control.amr, acr: control.acr },
        consent: { grantId: await grant.save() },
      };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
      return;
    }
    answer(request, response);
  });
  process.stdout.write(`${issuer}\n`);
});
server.keepAliveTimeout = 0; // a busy client could send a request into an idle connection that this end has just closed
process.on('disconnect', () => process.exit());
