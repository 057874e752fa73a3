// Logins with a link in a mail, or with the code of the mail where the link does not work.
import { askForFactor } from '/factors.js';
import {
  auth,
  byId,
  call,
  LINK_INVALID,
  onSubmit,
  page,
  say,
  SECOND_FACTOR_REQUIRED,
  switchTo,
} from '/shared.js';

const OTHER_BROWSER = 'other-browser';
let token;

/** Takes the token of a link out of the address bar, and shows its screen. @returns whether there was one */
export function openLoginLink() {
  const [, found] = /^#login=(.+)$/.exec(location.hash) ?? [];
  if (found === undefined) {
    return false;
  }
  history.replaceState(null, '', location.pathname);
  token = found;
  switchTo('link-login', '');
  return true;
}

/** @param shown `{ token }`, or `{ email, code }` */
async function logIn(shown) {
  try {
    await auth.authenticate('login/link/complete', shown);
  } catch (error) {
    if (error.code === SECOND_FACTOR_REQUIRED) {
      askForFactor(error, {});
    } else if (error.reason === OTHER_BROWSER) {
      switchTo('link-code', 'You have asked for this link in another browser. Enter the code of the mail.');
    } else if (error.code === LINK_INVALID && 'code' in shown) {
      say('This code is wrong, or does not work any more. Ask for a new one.');
    } else {
      throw error;
    }
    return;
  }
  token = undefined;
  byId('link-code-form').reset();
  page.goHome('');
}

onSubmit('link-form', async ({ email, remember }, form) => {
  await call('POST', 'login/link', { email: email.value, remember: remember.checked });
  byId('link-code-email').value = email.value;
  form.reset();
  switchTo('link-code', 'If an account has this address, a mail is on its way.');
});
onSubmit('link-code-form', ({ email, code }) => logIn({ email: email.value, code: code.value }));
onSubmit('link-login-form', () => logIn({ token }));
