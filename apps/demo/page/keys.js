// API keys: those of the account, and a new one with a command that uses it.
import { whileFresh } from '/fresh.js';
import { act, byId, call, onSubmit, say, showOnce } from '/shared.js';

/** What the account shows of API keys. */
export async function showKeys() {
  const keys = await call('GET', 'keys');
  byId('keys').replaceChildren(...keys.map(keyItem));
}

export function hideKeys() {
  byId('keys').replaceChildren();
  byId('add-key').reset();
}

function keyItem({ id, name, abilities, expiresAt, lastUsedAt }) {
  const item = byId('key-item').content.cloneNode(true);
  const set = (part, text) => (item.querySelector(`[data-is=${part}]`).textContent = text);
  set('name', name);
  set('abilities', abilities.join(' '));
  set('until', new Date(expiresAt).toLocaleString());
  set('used', lastUsedAt ? new Date(lastUsedAt).toLocaleString() : 'never');
  const button = item.querySelector('button');
  button.setAttribute('aria-label', `End the key ${name}`);
  button.addEventListener('click', () =>
    act(async () => {
      await call('DELETE', `keys/${encodeURIComponent(id)}`);
      await showKeys();
      say(`The key ${name} has ended.`);
    }),
  );
  return item;
}

onSubmit('add-key', async ({ name, abilities, days }, form) => {
  await whileFresh(async () => {
    const created = await call('POST', 'keys', {
      name: name.value.trim(),
      abilities: abilities.value.split(/[\s,]+/).filter((it) => it !== ''),
      days: Number(days.value),
    });
    form.reset();
    showOnce({
      title: 'Your new key',
      hint: 'Paste this into a terminal. Save the key now: it is not shown again.',
      text: `curl -H 'Authorization: Bearer ${created.key}' ${location.origin}/v1/notes`,
    });
    await showKeys();
  });
});
