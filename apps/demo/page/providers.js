// Logins with providers: the buttons, how such a login has ended, and the identities of the account.
import { askForFactor } from '/factors.js';
import { whileFresh } from '/fresh.js';
import {
  act,
  auth,
  byId,
  call,
  endTrip,
  goToProvider,
  oidc,
  onSubmit,
  page,
  say,
  SECOND_FACTOR_REQUIRED,
  switchTo,
} from '/shared.js';

const { remember } = byId('login').elements;
/** Why a login has failed, by the reason of the result. */
const REASONS = {
  denied: (title) => `You have cancelled at ${title}.`,
  state: () => 'This attempt has ended, or began in another browser. Try again.',
  provider: (title) => `The answer of ${title} cannot be used. Try again.`,
  unverified: (title) => `Your address at ${title} is not verified. Verify it there, then try again.`,
  'no-account': () => 'You have no account here.',
  'not-allowed': () => 'You cannot have an account here.',
  link: (title) =>
    `There is an account with your address. Log in the way you did before, then link ${title} in your account.`,
  taken: () => 'This identity belongs to another account.',
  limit: () => 'You have linked as many identities as you can. Remove one first.',
};
/** Where there is no reason, by the code. */
const CODES = {
  40111: () => 'The account is disabled.',
  40120: () => 'The login is not confirmed. Use an identity that you have linked.',
  50300: (title) => `${title} does not answer. Try again later.`,
};
const DONE = {
  link: (title) => `${title} is linked. It logs you in from now on.`,
  fresh: () => 'Your login is confirmed. Now do again what you wanted to do.',
};

/** The sign-up that waits for the user to agree. */
let token;
/** Empty where the demo runs without the provider. */
const listed = oidc.list().catch(() => []);

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

async function titleOf(name) {
  return (await listed).find((provider) => provider.name === name)?.title ?? 'the provider';
}

/** Goes on after a login with a provider. @returns whether the page comes from one */
export function openResult() {
  const result = oidc.result();
  if (result === undefined) {
    return false;
  }
  void act(() => goOn(result, endTrip()));
  return true;
}

async function goOn(result, trip) {
  const { status, code, provider } = result;
  if (status === 'complete') {
    await showSignUp(result);
  } else if (status === 'ok') {
    const message = DONE[trip.purpose];
    await page.goHome(message ? sentence(message(await titleOf(trip.name))) : '');
  } else if (code === SECOND_FACTOR_REQUIRED) {
    askForFactor(result, trip);
  } else {
    const explain = REASONS[result.reason] ?? CODES[code] ?? (() => `The login has failed (${code}).`);
    await page.goHome(sentence(explain(await titleOf(provider))));
  }
}

async function showSignUp({ token: found, provider, address, name }) {
  token = found;
  byId('sign-up-provider').textContent = await titleOf(provider);
  byId('sign-up-address').textContent = address;
  byId('sign-up-nickname').value = name ?? '';
  switchTo('sign-up', '');
}

/** What the account shows of providers. */
export async function showProviders({ login: { factors } }) {
  byId('logout-provider').hidden = !('oidc' in factors);
  byId('providers').hidden = (await listed).length === 0;
  if (!byId('providers').hidden) {
    byId('identities').replaceChildren(...(await call('GET', 'identities')).map(identityItem));
  }
}

export function hideProviders() {
  byId('logout-provider').hidden = true;
  byId('identities').replaceChildren();
  byId('sign-up-address').textContent = '';
  byId('sign-up-form').reset();
}

function identityItem({ id, title, address, createdAt, lastUsedAt }) {
  const item = byId('identity-item').content.cloneNode(true);
  const set = (part, text) => (item.querySelector(`[data-is=${part}]`).textContent = text);
  set('title', sentence(title));
  set('address', address ?? '');
  set('added', new Date(createdAt).toLocaleString());
  set('used', lastUsedAt ? new Date(lastUsedAt).toLocaleString() : 'never');
  const button = item.querySelector('button');
  const line = button.closest('li');
  button.setAttribute('aria-label', `Remove ${title} ${address ?? ''}`.trim());
  button.addEventListener('click', () =>
    act(() =>
      whileFresh(async () => {
        await call('DELETE', `identities/${encodeURIComponent(id)}`);
        line.remove();
        say(`${sentence(title)} is removed.`);
      }),
    ),
  );
  return item;
}

function button(className, text, work) {
  const made = Object.assign(document.createElement('button'), { className, textContent: text });
  made.addEventListener('click', () => act(work));
  return made;
}

async function showButtons() {
  const providers = await listed;
  byId('provider-logins').replaceChildren(
    ...providers.map(({ name, title }) =>
      button('wide quiet', `Continue with ${title}`, () =>
        goToProvider('start', name, { remember: remember.checked }),
      ),
    ),
  );
  byId('provider-links').replaceChildren(
    ...providers.map(({ name, title }) =>
      button('quiet', `Link ${title}`, () => whileFresh(() => goToProvider('link', name))),
    ),
  );
}

onSubmit('sign-up-form', async ({ nickname }) => {
  await auth.authenticate('oidc/complete', { token, nickname: nickname.value });
  page.goHome('');
});
byId('logout-provider').addEventListener('click', () => act(() => oidc.logout()));
void showButtons();
