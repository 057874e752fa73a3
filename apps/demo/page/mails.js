// Everything around mails: the screens that ask for one, those that its links open, the address, and invitations.
import { whileFresh } from '/fresh.js';
import { act, byId, call, onSubmit, page, say, switchTo } from '/shared.js';

/** The screens of links. Opening one uses nothing up: only the button does. */
const SCREENS = { reset: 'reset', verify: 'verify', register: 'complete', invite: 'complete' };
const TITLES = { register: 'Finish your registration', invite: 'Accept your invitation' };
let token;

/** Takes the token of a link out of the address bar, and shows the screen of the link. @returns whether there was one */
export function openLink() {
  const [, kind, found] = /^#(reset|verify|register|invite)=(.+)$/.exec(location.hash) ?? [];
  if (kind === undefined) {
    return false;
  }
  history.replaceState(null, '', location.pathname);
  token = found;
  byId('complete-title').textContent = TITLES[kind] ?? '';
  switchTo(SCREENS[kind], '');
  return true;
}

/** Shows the screens that ask for a mail: `#forgot`, `#register` and `#link`. @returns whether it was one of them */
export function openRequest() {
  const id = { '#forgot': 'forgot', '#register': 'register', '#link': 'link' }[location.hash];
  if (id) {
    switchTo(id, '');
  }
  return id !== undefined;
}

/** What the account shows of addresses. */
export async function showAddress({ superAdmin }) {
  const { email, verified } = await call('GET', 'email');
  byId('address').textContent = email ?? 'You have none.';
  byId('address-proved').hidden = !email || !verified;
  byId('verify-own').hidden = !email || verified;
  byId('administration').hidden = !superAdmin;
  if (superAdmin) {
    await listInvitations();
  }
}

export function hideAddress() {
  byId('address').textContent = '';
  byId('invitations').replaceChildren();
  ['change-address', 'invite'].forEach((id) => byId(id).reset());
}

async function listInvitations() {
  const invitations = await call('GET', 'invitations');
  byId('invitations').replaceChildren(...invitations.map(invitationItem));
}

function invitationItem({ id, email, expiresAt }) {
  const item = byId('invitation').content.cloneNode(true);
  item.querySelector('[data-is=email]').textContent = email;
  item.querySelector('[data-is=until]').textContent = new Date(expiresAt).toLocaleString();
  const button = item.querySelector('button');
  button.setAttribute('aria-label', `Withdraw the invitation of ${email}`);
  button.addEventListener('click', () =>
    act(async () => {
      await call('DELETE', `invitations/${encodeURIComponent(id)}`);
      await listInvitations();
      say(`The invitation of ${email} is withdrawn.`);
    }),
  );
  return item;
}

onSubmit('forgot-form', async ({ email }, form) => {
  await call('POST', 'password/forgot', { email: email.value });
  form.reset();
  page.goHome('If an account has this address, a mail with a link is on its way.');
});
onSubmit('register-form', async ({ email }, form) => {
  await call('POST', 'register', { email: email.value });
  form.reset();
  page.goHome('A mail is on its way to this address. Open its link to continue.');
});
onSubmit('reset-form', async ({ password }, form) => {
  await call('POST', 'password/reset', { token, newPassword: password.value });
  form.reset();
  page.goHome('Your password has changed. Log in with the new one.');
});
onSubmit('verify-form', async () => {
  await call('POST', 'email/confirm', { token });
  page.goHome('Your email address is confirmed.');
});
onSubmit('complete-form', async ({ password, nickname }, form) => {
  const chosen = nickname.value.trim();
  const name = chosen === '' ? {} : { nickname: chosen };
  await call('POST', 'register/complete', { token, password: password.value, ...name });
  form.reset();
  location.reload(); // This is a login, which the client finds when it starts.
});
onSubmit('change-address', async ({ email }, form) => {
  await whileFresh(async () => {
    await call('POST', 'email', { email: email.value });
    form.reset();
    say('A mail with a link is on its way to the new address. Nothing changes until you open it.');
  });
});
onSubmit('invite', async ({ email, nickname, roles }, form) => {
  const codes = roles.value.split(/[\s,]+/).filter((code) => code !== '');
  const name = nickname.value.trim();
  await whileFresh(async () => {
    await call('POST', 'invitations', {
      email: email.value,
      ...(name !== '' && { nickname: name }),
      ...(codes.length > 0 && { roles: codes }),
    });
    form.reset();
    await listInvitations();
    say('The invitation is on its way.');
  });
});
byId('verify-own').addEventListener('click', () =>
  act(async () => {
    await call('POST', 'email/verify');
    say('A mail with a link is on its way to this address.');
  }),
);
