// Asks for a proof that it is still the user, for what needs a fresh login.
import {
  act,
  auth,
  byId,
  call,
  describe,
  FRESH_LOGIN_REQUIRED,
  goToProvider,
  page,
  passkeys,
} from '/shared.js';

/** @param missing what the API asks for, and this user can show */
function askFor(missing) {
  const [byPassword, byCode, byPasskey, byProvider, byMail] = [
    'password',
    'totp',
    'passkey',
    'oidc',
    'email',
  ].map((name) => missing.includes(name));
  byId('confirm-hint').textContent = missing.includes('login')
    ? 'You logged in a while ago. Log out, and log in again.'
    : byPassword || byProvider || byMail
      ? 'You logged in a while ago. Confirm that it is still you.'
      : `This needs your second factor.${byCode ? ' Enter a code from the app.' : ''}`;
  byId('fresh-message').textContent = '';
  byId('other-proof').hidden = !byPassword || !byCode;
  byId('by-passkey').hidden = !byPasskey || !passkeys.isSupported();
  byId('by-provider').hidden = !byProvider;
  byId('by-mail').hidden = !byMail;
  codeFactor = 'totp';
  byId('by-form').hidden = !byPassword && !byCode;
  askForCode(byCode && !byPassword);
  byId('by-password').hidden = byId('by-password').disabled = !byPassword;
  byId('confirm').showModal();
}

/** Where the code comes from. */
let codeFactor = 'totp';

function askForCode(isAsked) {
  const isMailed = codeFactor === 'email';
  byId('again-code-label').textContent = isMailed ? 'Code from the mail' : 'Code from your authenticator app';
  byId('again-code').inputMode = isMailed ? 'text' : 'numeric';
  for (const [id, isOn] of [
    ['by-code', isAsked],
    ['by-password', !isAsked],
  ]) {
    byId(id).hidden = byId(id).disabled = !isOn;
  }
  byId('other-proof').textContent = isAsked ? 'Use the password' : 'Use a code from the app';
}

/** What is done after the confirmation, and the answer that asks for it. */
let waiting;

/** Does something that may need a fresh login. If the login is too old for that, asks for the password or a code first. */
export async function whileFresh(work) {
  try {
    await work();
  } catch (error) {
    if (error.code !== FRESH_LOGIN_REQUIRED) {
      throw error;
    }
    waiting = { work, refused: error.response };
    askFor(error.missing);
  }
}

/** @param confirm resolves with undefined if the user cancels */
async function confirmLogin(confirm) {
  try {
    if (!(await confirm())) {
      return;
    }
  } catch (error) {
    byId('fresh-message').textContent = describe(error);
    return;
  } finally {
    byId('fresh').reset();
  }
  byId('confirm').close();
  page.onConfirm();
  await act(() => {
    auth.requireSameLogin(waiting.refused);
    return whileFresh(waiting.work);
  });
}

function confirmByForm() {
  const code = byId('again-code').value.replace(/\s/g, '');
  return auth.fresh(byId('by-code').hidden ? byId('again').value : { factor: codeFactor, code });
}

byId('fresh').addEventListener('submit', (event) => {
  event.preventDefault();
  void confirmLogin(confirmByForm);
});
byId('by-passkey').addEventListener('click', () => void confirmLogin(passkeys.confirm));
/** Leaves the page. What waited has to be asked for again. */
async function confirmAtProvider() {
  try {
    const [{ provider }] = await call('GET', 'identities');
    await goToProvider('fresh', provider);
  } catch (error) {
    byId('fresh-message').textContent = describe(error);
  }
}

async function sendCode() {
  try {
    await call('POST', 'fresh/options', { factor: 'email' });
    codeFactor = 'email';
    byId('by-form').hidden = false;
    askForCode(true);
    byId('by-password').hidden = byId('by-password').disabled = true;
    byId('fresh-message').textContent = 'A code is on its way to your email address.';
    byId('again-code').focus();
  } catch (error) {
    byId('fresh-message').textContent = describe(error);
  }
}

byId('by-mail').addEventListener('click', () => void sendCode());
byId('by-provider').addEventListener('click', () => void confirmAtProvider());
byId('other-proof').addEventListener('click', () => {
  askForCode(byId('by-code').hidden);
  byId('fresh').querySelector('fieldset:enabled input').focus();
});
byId('cancel').addEventListener('click', () => byId('confirm').close());
byId('confirm').addEventListener('close', () => byId('fresh').reset());
