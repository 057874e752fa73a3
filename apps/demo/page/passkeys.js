// Passkeys: logins with them, and those of the account.
import { whileFresh } from '/fresh.js';
import { act, byId, call, onSubmit, page, passkeys, say } from '/shared.js';

const { remember } = byId('login').elements;
let stopOffering = () => {};

/** Offers passkeys in the field of the user name, as long as it is on the screen. */
function offer() {
  stopOffering();
  stopOffering = passkeys.autofill({ remember: remember.checked, onLogin: () => page.goHome('') });
}

page.onScreen = (id) => {
  if (id === 'guest') {
    offer();
  } else {
    stopOffering();
  }
};

/** What the account shows of passkeys. */
export async function showPasskeys() {
  byId('passkeys').replaceChildren(...(await passkeys.list()).map(passkeyItem));
}

export function hidePasskeys() {
  byId('passkeys').replaceChildren();
  byId('add-passkey').reset();
}

function passkeyItem(passkey) {
  const { id, name, createdAt, lastUsedAt, backedUp } = passkey;
  const item = byId('passkey-item').content.cloneNode(true);
  const part = (part) => item.querySelector(`[data-is=${part}]`);
  part('name').textContent = name;
  part('backed-up').hidden = !backedUp;
  part('added').textContent = new Date(createdAt).toLocaleString();
  part('used').textContent = lastUsedAt ? new Date(lastUsedAt).toLocaleString() : 'never';
  const onClick = (button, work) => {
    part(button).setAttribute('aria-label', `${part(button).textContent} ${name}`);
    part(button).addEventListener('click', () => act(work));
  };
  onClick('rename', () => rename(id, prompt('Name of the passkey', name)?.trim()));
  onClick('remove', () =>
    whileFresh(async () => {
      await passkeys.remove(passkey);
      await showPasskeys();
      say(`${name} is removed.`);
    }),
  );
  return item;
}

async function rename(id, name) {
  if (name) {
    await call('PATCH', `passkeys/${id}`, { name });
    await showPasskeys();
  }
}

byId('passkey-login').addEventListener('click', () =>
  act(async () => {
    if (await passkeys.login({ remember: remember.checked })) {
      page.goHome('');
    }
  }),
);
remember.addEventListener('change', offer);
onSubmit('add-passkey', async ({ name }, form) => {
  const chosen = name.value.trim();
  await whileFresh(async () => {
    const added = await passkeys.add(chosen ? { name: chosen } : {});
    if (added) {
      form.reset();
      await showPasskeys();
      say(`${added.name} is added. It logs you in from now on.`);
    }
  });
});
byId('passkey-login').hidden = byId('add-passkey').hidden = !passkeys.isSupported();
byId('passkeys-unsupported').hidden = passkeys.isSupported();
