// The login: name and password, a second factor, a passkey.
import { auth, passkeys, SECOND_FACTOR_REQUIRED, TOKEN_INVALID } from './api.js';
import { fill, focusOn, h } from './dom.js';
import { field, form } from './forms.js';
import { gate } from './gates.js';
import { factorName, sentence, t } from './language.js';
import { failure, run } from './notices.js';

/** Why a login has ended. */
const endOf = (reason) => sentence({ code: TOKEN_INVALID, reason }) || t('ended');

/**
 * Asks for a login.
 *
 * @param {string} [reason] why the one before has ended
 * @returns a promise of the answer to the login
 */
export function logIn(reason) {
  let stop;
  return gate((done) => {
    const step = h('div', { class: 'step' });
    stop = offerPasskeys(done);
    firstStep(step, done);
    const ended = reason && h('p', { class: 'notice', role: 'status' }, endOf(reason));
    return [h('h1', {}, t('login')), ended, step];
  }).finally(() => stop());
}

/** Offers passkeys in the field of the name, as long as the login is asked for. */
function offerPasskeys(done) {
  let stop = () => undefined;
  void passkeys?.canAutofill().then((can) => {
    if (can) {
      stop = passkeys.autofill({ onLogin: done });
    }
  });
  return () => stop();
}

function firstStep(step, finish) {
  const name = field({
    name: 'username',
    label: t('login.name'),
    autocomplete: passkeys ? 'username webauthn' : 'username',
    autocapitalize: 'off',
    spellcheck: 'false',
    required: true,
  });
  const password = field({
    name: 'password',
    label: t('login.password'),
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  });
  const remember = field({ name: 'remember', label: t('login.remember'), type: 'checkbox' });
  const problem = h('div', { role: 'alert' });
  const byPasskey =
    passkeys &&
    h(
      'button',
      { type: 'button', onclick: ({ currentTarget }) => void byButton(currentTarget) },
      t('login.passkey'),
    );
  const byButton = (button) =>
    run(
      button,
      async () => {
        fill(problem);
        const login = await passkeys.login({ remember: remember.read() });
        if (login !== undefined) {
          finish(login);
        }
      },
      (error, retry) => fill(problem, failure(error, retry)),
    );
  const element = form({
    content: [name, password, remember],
    action: t('login.submit'),
    async submit({ username, password: secret, remember: stays }) {
      const credentials = { username, password: secret, ...(stays && { remember: true }) };
      try {
        finish(await auth.login(credentials));
      } catch (error) {
        if (error.code !== SECOND_FACTOR_REQUIRED) {
          throw error;
        }
        secondStep(step, finish, error, stays);
      }
    },
  });
  fill(step, element, byPasskey && h('div', { class: 'alternatives' }, byPasskey), problem);
}

/** @param {object} refusal 40112, with the challenge and the factors that it takes */
function secondStep(step, finish, { challenge, factors = [] }, remember) {
  const problem = h('div', { role: 'alert' });
  const again = h('button', { type: 'button', onclick: () => restart() }, t('login.again'));
  const restart = () => {
    firstStep(step, finish);
    focusOn(step.querySelector('input'));
  };
  const codes = factors.filter((it) => it !== 'passkey');
  const codeForm = codes.length > 0 && codeStep(codes, { challenge, remember, finish });
  const byPasskey =
    passkeys &&
    factors.includes('passkey') &&
    h(
      'button',
      {
        type: 'button',
        class: codeForm ? undefined : 'primary',
        onclick: ({ currentTarget }) =>
          void run(
            currentTarget,
            async () => {
              const login = await passkeys.second(challenge, remember ? { remember } : {});
              if (login !== undefined) {
                finish(login);
              }
            },
            (error) => fill(problem, failure(asFactor(error))),
          ),
      },
      t('login.second-passkey'),
    );
  const hint = h('p', { role: 'status' }, t(codeForm ? 'login.second' : 'login.second-device'));
  fill(step, hint, codeForm, h('div', { class: 'alternatives' }, byPasskey, again), problem);
  focusOn(step.querySelector('input') ?? step.querySelector('button'));
}

function codeStep(codes, { challenge, remember, finish }) {
  const choice =
    codes.length > 1 &&
    field({
      name: 'factor',
      label: t('login.factor'),
      type: 'select',
      value: codes[0],
      options: codes.map((it) => [it, factorName(it)]),
    });
  const entered = field({
    name: 'code',
    label: t('login.code'),
    autocomplete: 'one-time-code',
    inputmode: codes.every((it) => it === 'totp') ? 'numeric' : undefined,
    autocapitalize: 'off',
    spellcheck: 'false',
    required: true,
  });
  return form({
    content: [choice, entered].filter(Boolean),
    action: t('login.submit'),
    async submit({ factor = codes[0], code: typed }) {
      const answer = {
        challenge,
        factor,
        code: typed.replace(/\s/g, ''),
        ...(remember && { remember: true }),
      };
      try {
        finish(await auth.login(answer));
      } catch (error) {
        throw asFactor(error);
      }
    },
  });
}

/** Shows each refusal here: during a login, no other login can end. */
const asFactor = (error) => (error.code === TOKEN_INVALID ? Object.assign(error, { code: 40113 }) : error);
