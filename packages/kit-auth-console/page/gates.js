// Gates before the console: the login, and the duties of users. The page stays below, with the contents of its fields.
import { auth, call } from './api.js';
import { fill, focusOn, h, newId } from './dom.js';
import { field, form } from './forms.js';
import { languageChoice, t } from './language.js';
import { failure, run } from './notices.js';
import { home, title } from './settings.js';

let current;

/** Opens the shown gate: its condition was met elsewhere. */
export const openGate = () => current?.done();

/**
 * Shows a gate instead of the one before.
 *
 * @param {(done: Function) => Array} content its elements, which begin with a heading. They call `done` to open the gate
 * @returns a promise of what `done` got
 */
export function gate(content) {
  openGate();
  return new Promise((resolve) => {
    const id = newId();
    let isDone = false;
    const dialog = h('dialog', { class: 'gate', closedby: 'none', 'aria-labelledby': id });
    const done = (result) => {
      isDone = true;
      dialog.close();
      if (current === own) {
        current = undefined;
      }
      resolve(result);
    };
    const [first, ...rest] = content(done);
    first.id = id;
    const foot = h('footer', { class: 'gate-foot' }, h('a', { href: home }, t('leave')), languageChoice());
    dialog.append(h('p', { class: 'brand' }, title), first, ...rest.filter(Boolean), foot);
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    dialog.addEventListener('close', () => {
      if (!isDone) {
        dialog.showModal(); // pressing Escape twice closes dialogs
      } else {
        dialog.remove();
      }
    });
    const own = { done };
    current = own;
    document.body.append(dialog);
    dialog.showModal();
    const input = dialog.querySelector('[autofocus], input:not([type=hidden])');
    focusOn(input ?? first);
  });
}

function logOutButton(done) {
  const problem = h('div', { role: 'alert' });
  const logOut = ({ currentTarget }) =>
    run(
      currentTarget,
      async () => done(await auth.logout()),
      (error, retry) => fill(problem, failure(error, retry)),
    );
  return h(
    'div',
    { class: 'log-out' },
    h('button', { type: 'button', onclick: (event) => void logOut(event) }, t('log-out')),
    problem,
  );
}

/** The user has no administrative permission. Only another login helps. */
export const noRights = () =>
  gate((done) => [h('h1', {}, t('no-rights')), h('p', {}, t('no-rights-hint')), logOutButton(done)]);

/** The user has to set up a second factor first, which the application has pages for. */
export const enrolment = () =>
  gate((done) => [h('h1', {}, t('enrolment')), h('p', {}, t('enrolment-hint')), logOutButton(done)]);

/** The server did not answer. Opens when the user tries again. */
export const outage = (error) => gate((done) => [h('h1', {}, t('outage')), failure(error, done)]);

/** The user has to choose a new password. Opens when that is done. */
export const passwordChange = () =>
  gate((done) => [
    h('h1', {}, t('password.must-change')),
    h('p', {}, t('password.must-change-hint')),
    passwordForm(done),
    logOutButton(done),
  ]);

/** Changes the password of the user. */
export function passwordForm(done) {
  const next = field({
    name: 'newPassword',
    label: t('password.new'),
    type: 'password',
    autocomplete: 'new-password',
    required: true,
  });
  const again = field({
    name: 'again',
    label: t('password.again'),
    type: 'password',
    autocomplete: 'new-password',
    required: true,
    check: (value) => (value === next.read() ? undefined : t('password.differs')),
  });
  const currentPassword = field({
    name: 'currentPassword',
    label: t('password.current'),
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  });
  const element = form({
    content: [currentPassword, next, again],
    action: t('password.change'),
    words: { 40110: 'password.wrong' },
    blamed: { 40110: currentPassword },
    async submit({ currentPassword: old, newPassword }) {
      await call('POST', 'password', { currentPassword: old, newPassword });
      element.reset();
      done();
    },
  });
  return element;
}
