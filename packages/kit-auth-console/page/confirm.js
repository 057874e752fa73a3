// Confirms the login, for what needs a fresh one.
import { auth, call, passkeys } from './api.js';
import { fill, h } from './dom.js';
import { opened } from './dialogs.js';
import { field, form } from './forms.js';
import { factorName, t } from './language.js';
import { failure, run } from './notices.js';

/** Factors that a field takes. */
const TYPED = ['password', 'totp'];

/**
 * Asks for one of the factors that a refusal with 40120 lists.
 *
 * @returns {Promise<boolean>} whether the login is confirmed
 */
export function confirmLogin({ missing = [] }) {
  let isDone = false;
  const typed = missing.filter((it) => TYPED.includes(it));
  const canUsePasskey = passkeys !== undefined && missing.includes('passkey');
  const canMail = missing.includes('email');
  const problem = h('div', { role: 'alert' });
  const place = h('div', {});
  const finish = () => {
    isDone = true;
    dialog.close();
  };
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, t('cancel'));
  const byPasskey =
    canUsePasskey &&
    h(
      'button',
      { type: 'button', class: typed.length === 0 ? 'primary' : undefined, onclick: askPasskey },
      t('confirm.passkey'),
    );
  const byMail =
    canMail &&
    h(
      'button',
      {
        type: 'button',
        class: typed.length === 0 && !canUsePasskey ? 'primary' : undefined,
        onclick: ({ currentTarget }) =>
          void run(currentTarget, sendCode, (error) => fill(problem, failure(error))),
      },
      t('confirm.mail'),
    );
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'confirm-title' },
    h('h2', { id: 'confirm-title' }, t('confirm')),
    h('p', {}, t(typed.length > 0 || canUsePasskey || canMail ? 'confirm.hint' : 'confirm.elsewhere')),
    place,
    h('div', { class: 'alternatives' }, byPasskey, byMail, typed.length === 0 && cancel),
    problem,
  );
  const showField = (factor) => {
    const others = typed.filter((it) => it !== factor);
    const links = others.map((it) =>
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => showField(it) },
        t('confirm.other', { factor: factorName(it) }),
      ),
    );
    fill(place, fieldOf(factor, finish, cancel), links);
    place.querySelector('input').focus();
  };

  function askPasskey({ currentTarget }) {
    const confirm = async () => {
      if ((await passkeys.confirm()) !== undefined) {
        finish();
      }
    };
    void run(currentTarget, confirm, (error) => fill(problem, failure(error)));
  }

  async function sendCode() {
    await call('POST', 'fresh/options', { factor: 'email' });
    showField('email');
    fill(problem, t('confirm.mail-sent'));
  }

  const result = opened(dialog, () => isDone);
  if (typed.length > 0) {
    showField(typed[0]);
  }
  return result;
}

function fieldOf(factor, finish, cancel) {
  const isPassword = factor === 'password';
  const proof = field({
    name: 'proof',
    label: isPassword ? t('login.password') : t('login.code'),
    type: isPassword ? 'password' : 'text',
    autocomplete: isPassword ? 'current-password' : 'one-time-code',
    inputmode: factor === 'totp' ? 'numeric' : undefined,
    required: true,
  });
  return form({
    content: [proof],
    action: t('confirm.submit'),
    cancel,
    words: { 40110: 'password.wrong' },
    blamed: { 40110: proof },
    async submit({ proof: value }) {
      await auth.fresh(isPassword ? value : { factor, code: value.replace(/\s/g, '') });
      finish();
    },
  });
}
