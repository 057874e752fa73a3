// The second factor: the second step of a login, and the devices and recovery codes of the account.
import { whileFresh } from '/fresh.js';
import { encodeQR } from '/qr.js';
import { act, auth, byId, call, onSubmit, page, passkeys, say, showOnce, switchTo } from '/shared.js';

const CHALLENGE_ENDED = 'challenge-ended';
const STEPS = {
  totp: {
    hint: 'Your authenticator app shows six digits.',
    label: 'Code from the app',
    other: 'Use a recovery code',
  },
  recovery: {
    hint: 'Each of your recovery codes works once.',
    label: 'Recovery code',
    other: 'Use the app',
  },
};
/** The login that waits for its second step. */
let pending;
/** The device that waits for its first code. */
let enrolling;

/** Asks for the second factor, after a right password was refused with 40112. */
export function askForFactor({ challenge, factors }, { remember }) {
  pending = { challenge, remember };
  byId('factor-form').hidden = byId('factor-other').hidden = !factors.includes('totp');
  byId('factor-passkey').hidden = !factors.includes('passkey') || !passkeys.isSupported();
  askFor('totp');
  if (byId('factor-form').hidden) {
    byId('factor-hint').textContent = 'Confirm the login with your passkey.';
  }
  switchTo('factor', '');
}

function askFor(factor) {
  pending.factor = factor;
  const { hint, label, other } = STEPS[factor];
  byId('factor-hint').textContent = hint;
  byId('factor-label').textContent = label;
  byId('factor-other').textContent = other;
  byId('factor-code').inputMode = factor === 'totp' ? 'numeric' : 'text';
  byId('factor-form').reset();
}

/** Whether a login waits for its second step. */
export function isLoggingIn() {
  return pending !== undefined;
}

export function forgetLogin() {
  pending = undefined;
  byId('factor-form').reset();
}

/** What the account shows of second factors. */
export async function showFactors() {
  const { factors, recoveryCodesLeft } = await call('GET', 'factors');
  byId('factors').replaceChildren(...factors.map(factorItem));
  byId('factors-none').hidden = factors.length > 0;
  byId('recovery-left').hidden = factors.length === 0;
  byId('recovery-count').textContent = recoveryCodesLeft;
}

export function hideFactors() {
  byId('factors').replaceChildren();
  byId('add-factor').reset();
  endEnrolment();
}

function factorItem({ id, name, createdAt, lastUsedAt }) {
  const item = byId('factor-item').content.cloneNode(true);
  const set = (part, text) => (item.querySelector(`[data-is=${part}]`).textContent = text);
  set('name', name);
  set('added', new Date(createdAt).toLocaleString());
  set('used', lastUsedAt ? new Date(lastUsedAt).toLocaleString() : 'never');
  const button = item.querySelector('button');
  button.setAttribute('aria-label', `Remove ${name}`);
  button.addEventListener('click', () =>
    act(() =>
      whileFresh(async () => {
        await call('DELETE', `factors/${encodeURIComponent(id)}`);
        await showFactors();
        say(`${name} is removed.`);
      }),
    ),
  );
  return item;
}

/** Draws the URI that authenticator apps scan. It contains the secret, so it is drawn here, and goes to no server. */
function drawQr(uri) {
  const border = 4; // the quiet zone, in modules
  const rows = encodeQR(uri, 'raw', { border });
  const modules = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  byId('qr').setAttribute('viewBox', `0 0 ${rows.length} ${rows.length}`);
  byId('qr').querySelector('path').setAttribute('d', modules.join(''));
}

function beginEnrolment({ id, secret, uri }, name) {
  enrolling = { id, name };
  drawQr(uri);
  byId('secret').textContent = secret.replace(/.{4}(?=.)/g, '$& ');
  byId('enrolment').reset();
  byId('enrolment').hidden = false;
  byId('add-factor').hidden = true;
  byId('enrolment-code').focus();
}

function endEnrolment() {
  enrolling = undefined;
  byId('qr').querySelector('path').removeAttribute('d');
  byId('secret').textContent = '';
  byId('enrolment').reset();
  byId('enrolment').hidden = true;
  byId('add-factor').hidden = false;
}

function showRecoveryCodes(codes) {
  showOnce({
    title: 'Your recovery codes',
    hint: 'Each of them logs you in once, without your device. Save them now: they are not shown again.',
    text: codes.join('\n'),
  });
}

/** Apps show a code in two groups. */
const withoutSpaces = ({ value }) => value.replace(/\s/g, '');

/** @param show resolves with undefined if the user cancels */
async function completeLogin(show) {
  try {
    if (!(await show(pending))) {
      return;
    }
  } catch (error) {
    if (error.reason !== CHALLENGE_ENDED) {
      throw error;
    }
    forgetLogin();
    page.goHome(`${error.message}.`);
    return;
  }
  forgetLogin();
  page.goHome('');
}

onSubmit('factor-form', ({ code }) =>
  completeLogin(({ challenge, factor, remember }) => {
    const text = withoutSpaces(code);
    code.select();
    return auth.login({ challenge, factor, remember, code: text });
  }),
);
byId('factor-passkey').addEventListener('click', () =>
  act(() => completeLogin(({ challenge, remember }) => passkeys.second(challenge, { remember }))),
);
byId('factor-other').addEventListener('click', (event) => {
  event.preventDefault();
  askFor(pending.factor === 'totp' ? 'recovery' : 'totp');
  byId('factor-code').focus();
});
byId('factor-back').addEventListener('click', (event) => {
  event.preventDefault();
  forgetLogin();
  page.goHome('');
});
onSubmit('add-factor', async ({ name }, form) => {
  await whileFresh(async () => {
    beginEnrolment(await call('POST', 'factors/totp', { name: name.value.trim() }), name.value.trim());
    form.reset();
  });
});
onSubmit('enrolment', async ({ code, endOthers }) => {
  const { id, name } = enrolling;
  const { recoveryCodes } = await call('POST', `factors/totp/${encodeURIComponent(id)}/confirm`, {
    code: withoutSpaces(code),
    endOthers: endOthers.checked,
  });
  endEnrolment();
  if (recoveryCodes) {
    showRecoveryCodes(recoveryCodes);
  }
  // All of it: who had to add a factor first sees the rest only now.
  await page.goHome(`${name} is added. From now on, logins need a code of it.`);
});
byId('enrolment-cancel').addEventListener('click', endEnrolment);
byId('renew-recovery').addEventListener('click', () =>
  act(() =>
    whileFresh(async () => {
      showRecoveryCodes((await call('POST', 'factors/recovery')).recoveryCodes);
      await showFactors();
    }),
  ),
);
