// Forms: labels, errors bound to their fields and summed up on top.
import { fill, focusOn, h, newId } from './dom.js';
import { t } from './language.js';
import { failure, run } from './notices.js';

/**
 * A field of a form.
 *
 * @param {object} options `name`, `label`, `type` (of an input, `select`, `textarea` or `checkbox`), `value`, `hint`,
 * `options` of a select as `[value, text]`, `required`, `check(value)`, which returns a text if it is wrong, `id`, for the
 * focus to stay when a page is shown again, and further attributes
 */
export function field({ name, label, type = 'text', value = '', hint, options, check, ...attributes }) {
  const { id = newId() } = attributes;
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const shared = {
    id,
    name,
    'aria-describedby': hint ? hintId : undefined,
    ...attributes,
    required: undefined,
  };
  const control = controlOf(type, shared, value, options);
  if (attributes.required) {
    control.setAttribute('aria-required', 'true');
  }
  const error = h('p', { id: errorId, class: 'field-error' });
  const isBox = type === 'checkbox';
  const labelElement = h('label', { for: id }, label);
  const element = h(
    'div',
    { class: isBox ? 'field box' : 'field' },
    isBox ? [control, labelElement] : [labelElement, control],
    hint && h('p', { id: hintId, class: 'hint' }, hint),
    error,
  );
  const read = () => (isBox ? control.checked : control.value);
  return {
    element,
    control,
    name,
    read,
    blame,
    /** @returns the text of an error, which it shows; undefined without one */
    validate() {
      const empty = attributes.required && read() === '' ? t('field.required') : undefined;
      const text = empty ?? check?.(read());
      blame(text);
      return text;
    },
  };

  /** Shows a text about what is wrong, or that nothing is. */
  function blame(text) {
    fill(error, text ?? '');
    control.setAttribute('aria-invalid', String(text !== undefined));
    const described = [hint && hintId, text && errorId].filter(Boolean).join(' ');
    control[described === '' ? 'removeAttribute' : 'setAttribute']('aria-describedby', described);
  }
}

function controlOf(type, attributes, value, options) {
  switch (type) {
    case 'select':
      return h(
        'select',
        attributes,
        options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)),
      );
    case 'textarea': {
      const area = h('textarea', { rows: 4, ...attributes });
      area.value = value;
      return area;
    }
    case 'checkbox':
      return h('input', { type, ...attributes, checked: value === true });
    default: {
      const input = h('input', { type, ...attributes });
      input.value = value;
      return input;
    }
  }
}

/**
 * A form.
 *
 * @param {object} options `fields` and other elements in their order, `action` (the text of the button), `submit(values)`,
 * `cancel` (a function or a link), `isDangerous`, `words`: the key of a text by error code, and `blamed`: the field that is
 * wrong then
 */
export function form({
  content,
  action,
  submit,
  cancel,
  isDangerous = false,
  words,
  blamed = {},
  ...attributes
}) {
  const fields = content.filter((it) => it?.validate !== undefined);
  const summary = h('div', { class: 'summary', role: 'alert' });
  const button = h('button', { class: isDangerous ? 'danger' : 'primary' }, action);
  const element = h(
    'form',
    { novalidate: true, ...attributes },
    summary,
    content.map((it) => it?.element ?? it),
    h('div', { class: 'form-actions' }, button, cancel),
  );
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    fill(summary);
    const wrong = fields.filter((it) => it.validate() !== undefined);
    if (wrong.length > 0) {
      fill(summary, problems(wrong));
      focusOn(wrong[0].control);
      return;
    }
    const values = Object.fromEntries(fields.map((it) => [it.name, it.read()]));
    void run(
      button,
      () => submit(values),
      (error) => {
        // Another attempt sends what the form contains then.
        const again = () => element.requestSubmit();
        fill(summary, failure(error, again, words));
        const wrongField = blamed[error.code];
        if (wrongField !== undefined) {
          wrongField.blame(t(words[error.code]));
          focusOn(wrongField.control);
        }
      },
    );
  });
  return element;
}

function problems(wrong) {
  const linkTo = ({ control }) =>
    h(
      'a',
      { href: `#${control.id}`, onclick: (event) => jump(event, control) },
      control.labels[0].textContent,
    );
  return h(
    'div',
    { class: 'notice bad' },
    h('p', {}, t('form.wrong', { count: wrong.length })),
    h(
      'ul',
      {},
      wrong.map((it) => h('li', {}, linkTo(it))),
    ),
  );
}

function jump(event, control) {
  event.preventDefault();
  focusOn(control);
}

/** A field with one code in each line, or with commas between them. */
export const linesOf = (text) => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((it) => it.trim())
      .filter(Boolean),
  ),
];
