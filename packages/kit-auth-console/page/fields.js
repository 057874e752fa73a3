// Fields that several forms have.
import { access } from './access.js';
import { h, newId } from './dom.js';
import { field } from './forms.js';
import { t } from './language.js';

export const nicknameField = (attributes) =>
  field({ name: 'nickname', label: t('user.nickname'), autocomplete: 'off', maxlength: 255, ...attributes });

/** The member `nickname` of a body. Absent if the field is empty. */
export const nicknameIn = ({ nickname }) => (nickname.trim() === '' ? {} : { nickname: nickname.trim() });

/** A password that an administrator chooses for a user. */
export function passwordField(attributes) {
  const tooShort = t('password.short', { count: access.password.minLength });
  return field({
    type: 'password',
    autocomplete: 'new-password',
    hint: tooShort,
    required: true,
    check: (value) => ([...value].length < access.password.minLength ? tooShort : undefined),
    ...attributes,
  });
}

/** Checkboxes for a set of codes. @param {object[]} items each with `value`, `label`, `isOn`, `why` it cannot be changed */
export function choices(legend, items) {
  const boxes = items.map(({ value, label, isOn, why }) => {
    const [id, whyId] = [newId(), newId()];
    const box = h('input', {
      type: 'checkbox',
      id,
      value,
      checked: isOn,
      disabled: why !== undefined,
      'aria-describedby': why && whyId,
    });
    const row = h(
      'div',
      { class: 'field box' },
      box,
      h('label', { for: id }, label),
      why && h('p', { id: whyId, class: 'hint' }, why),
    );
    return { box, row };
  });
  return {
    element: h(
      'fieldset',
      { class: 'choices' },
      h('legend', {}, legend),
      boxes.map(({ row }) => row),
    ),
    read: () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value),
  };
}
