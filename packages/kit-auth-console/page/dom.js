/**
 * Creates an element.
 *
 * @param {string} name
 * @param {object} [attributes] `onclick` and its like are listeners; true is an attribute without a value; false, null and
 * undefined are left out
 * @param children texts, nodes and lists of them. Texts are never read as HTML. Null, undefined and false are left out
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(key.slice(2), value);
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  fill(element, children);
  return element;
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false),
  );
}

/**
 * Invisible characters, and characters that change the direction of text: two names could look the same. Joiners and variants are parts
 * of letters and of emoji. A test of `kit-auth-cli` compares this with what a terminal shows.
 */
const UNSAFE =
  /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

export const plain = (value) => String(value).replace(UNSAFE, '?');

/** A text of a user or a client. Its direction does not change its surroundings. */
export const data = (value) => h('bdi', { class: 'data', dir: 'auto', translate: 'no' }, plain(value));

/** An identifier: the code of a role, a permission, an id. */
export const code = (value) => h('code', { dir: 'ltr', translate: 'no' }, plain(value));

/** Identifiers in a row. */
export const codes = (values) => values.map((it) => [code(it), ' ']);

let ids = 0;
/** An id for an element that another one refers to. */
export const newId = () => `id-${++ids}`;

/** Moves the focus to the heading of a page or of a part, which screen readers then announce. */
export function focusOn(element) {
  if (element !== null && element !== undefined) {
    element.tabIndex = element.tabIndex >= 0 ? element.tabIndex : -1;
    element.focus({ preventScroll: true });
  }
}
