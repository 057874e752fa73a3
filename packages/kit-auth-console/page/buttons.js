import { h } from './dom.js';

/**
 * The second click of a double click does nothing: the button of another entry may be there then.
 *
 * @param why the action is not possible; undefined if it is
 */
export function actionButton(text, onclick, { isDangerous = false, why, small = false } = {}) {
  const className = [isDangerous && 'danger', small && 'small'].filter(Boolean).join(' ') || undefined;
  return h(
    'span',
    { class: 'action' },
    h(
      'button',
      { type: 'button', class: className, disabled: why !== undefined, onclick: once(onclick) },
      text,
    ),
    why && h('span', { class: 'hint' }, why),
  );
}

const once = (onclick) => (event) => event.detail < 2 && onclick(event);
