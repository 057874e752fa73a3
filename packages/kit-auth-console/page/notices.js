// Results and failures in words.
import { LOGIN_CHANGED, retryAfter, TOKEN_INVALID, TOKEN_MISSING, TOO_MANY_ATTEMPTS } from './api.js';
import { code, fill, h } from './dom.js';
import { duration, sentence, t } from './language.js';

const status = h('div', { role: 'status', class: 'notice-place' });
const alerts = h('div', { role: 'alert', class: 'notice-place' });

/** The live regions of the page. They stay in the document, so that screen readers notice what they contain. */
export const notices = h('div', { class: 'notices' }, status, alerts);

/** Says that something has worked. */
export function notify(...content) {
  clear();
  fill(status, h('p', { class: 'notice good' }, ...content));
}

/** Tells screen readers about a change, for example the number of results. */
const spoken = h('div', { role: 'status', class: 'sr-only' });
export const announcements = spoken;
export const announce = (text) => fill(spoken, text);

export function clear() {
  fill(status);
  fill(alerts);
}

/** Says why something has failed, at the top of the page. Takes what `failure` takes. */
export function fail(error, retry, words) {
  const content = failure(error, retry, words);
  if (content !== undefined) {
    clear();
    fill(alerts, content);
    content.scrollIntoView({ block: 'nearest' });
  }
}

/** Failures that something else shows: the login, or nothing. */
export const isShownElsewhere = (error) =>
  error.isCancelled ||
  error.isShown ||
  error.name === 'AbortError' ||
  [TOKEN_MISSING, TOKEN_INVALID, LOGIN_CHANGED].includes(error.code);

/**
 * A failure in words: its meaning, advice, and its code for support.
 *
 * @param {Function} [retry] does it again
 * @param {object} [words] the key of a text by code, where the page knows more than the catalog
 * @returns undefined for failures that something else shows
 */
export function failure(error, retry, words = {}) {
  if (isShownElsewhere(error)) {
    return undefined;
  }
  const isAnswered = error.response !== undefined && error.code !== undefined;
  const wait = retryAfter(error);
  const canHelp = !isAnswered || error.code === TOO_MANY_ATTEMPTS || error.response.status >= 500;
  const again = retry !== undefined && canHelp;
  const button = again && h('button', { type: 'button', class: 'small', onclick: retry }, t('retry'));
  return h(
    'div',
    { class: 'notice bad' },
    h('p', {}, wordsOf(error, words, isAnswered)),
    isAnswered && detailsOf(error),
    error.code === TOO_MANY_ATTEMPTS && wait !== undefined && countdown(wait, button),
    button,
  );
}

function wordsOf(error, words, isAnswered) {
  if (!isAnswered) {
    return t(['TypeError', 'TimeoutError'].includes(error.name) ? 'error.offline' : 'error.unknown');
  }
  const key = words[error.code];
  // The countdown is below.
  const wait = error.code === TOO_MANY_ATTEMPTS ? undefined : retryAfter(error);
  return key === undefined ? sentence(error, wait) || t('error.unknown') : t(key);
}

/** The code, the reason, and the message for developers, which is English. */
function detailsOf({ code: number, reason, message }) {
  return h(
    'details',
    {},
    h('summary', {}, t('error.details')),
    h('p', {}, code([number, reason].filter(Boolean).join(' '))),
    h('p', { lang: 'en', dir: 'ltr', translate: 'no' }, message),
  );
}

function countdown(seconds, button) {
  const end = Date.now() + seconds * 1000;
  const text = h('p', { 'aria-live': 'off' });
  if (button) {
    button.disabled = true;
  }
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    fill(text, left > 0 ? t('error.wait', { duration: duration(left) }) : t('error.waited'));
    if (left <= 0) {
      clearInterval(timer);
      if (button) {
        button.disabled = false;
      }
    }
  };
  const timer = setInterval(() => (text.isConnected ? tick() : clearInterval(timer)), 1000);
  tick();
  return text;
}

/**
 * Runs an action. Its button cannot be pressed again until it is over.
 *
 * @param {() => Promise<unknown>} work
 * @param {(error: Error, retry: () => void) => void} [onFailure] default: at the top of the page
 */
export async function run(button, work, onFailure = fail) {
  if (button?.ariaDisabled === 'true') {
    return;
  }
  // Not `disabled`, which would drop the focus.
  button?.setAttribute('aria-disabled', 'true');
  try {
    await work();
  } catch (error) {
    onFailure(error, () => run(button, work, onFailure));
  } finally {
    button?.removeAttribute('aria-disabled');
  }
}
