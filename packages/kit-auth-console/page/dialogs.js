// Dialogs. The browser keeps the focus inside, and gives it back.
import { data, focusOn, h, newId, plain } from './dom.js';
import { field, form } from './forms.js';
import { t } from './language.js';
import { clear } from './notices.js';

/**
 * Asks in a dialog, and does what was asked for. It stays open, with the reason, if that fails.
 *
 * @param {object} options `title`; `text`, nodes that name who or what it is about, and the consequence; `content`, fields
 * and elements of the form; `action`; `isDangerous`; `typed`, a name to be typed; `submit(values)`; `words`
 * @returns {Promise<boolean>} whether it was done
 */
export function ask({ title, text = [], content = [], action, isDangerous, typed, submit, words }) {
  const id = newId();
  let isDone = false;
  let isBusy = false;
  const cancel = h(
    'button',
    {
      type: 'button',
      autofocus: isDangerous && typed === undefined && content.length === 0,
      onclick: () => isBusy || dialog.close(),
    },
    t('cancel'),
  );
  const check = typed === undefined ? [] : [typedField(typed)];
  const element = form({
    content: [...text.map((it) => h('p', {}, it)), ...content, ...check],
    action,
    cancel,
    isDangerous,
    words,
    submit: async (values) => {
      isBusy = true;
      try {
        await submit(values);
        isDone = true;
      } catch (error) {
        if (!error.isShown) {
          throw error;
        }
      } finally {
        isBusy = false;
      }
      dialog.close();
    },
  });
  const dialog = h(
    'dialog',
    {
      'aria-labelledby': id,
      // A running request cannot be cancelled.
      oncancel: (event) => isBusy && event.preventDefault(),
    },
    h('h2', { id }, title),
    element,
  );
  clear();
  return opened(dialog, () => isDone);
}

/** Shows a dialog until it is closed. @param result what the promise resolves with */
export function opened(dialog, result) {
  document.body.append(dialog);
  const before = document.activeElement;
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (document.activeElement === document.body) {
        // The button that opened the dialog may be gone.
        focusOn(before?.isConnected ? before : document.querySelector('main h1'));
      }
      resolve(result());
    });
  });
}

/** Closes the dialogs of pages, not the gates. */
export const closeDialogs = () =>
  document.querySelectorAll('dialog[open]:not(.gate)').forEach((dialog) => dialog.close());

function typedField(name) {
  return field({
    name: 'typed',
    label: [t('dialog.type'), ' ', data(name)],
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    required: true,
    check: (value) => (typable(value) === typable(name) ? undefined : t('dialog.typed-other')),
  });
}

/** People type what they see. */
const typable = (text) =>
  plain(text)
    .replace(/[\u200c\u200d\ufe0e\ufe0f]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFC');
