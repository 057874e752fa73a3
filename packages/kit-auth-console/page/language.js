// The language of the page: its texts, its sentences for errors, and how it writes numbers and times.
import { h, plain } from './dom.js';
import { translator } from './languages-client.js';
import { meta, store, stored } from './settings.js';

let texts = {};
let tag = 'en';
let sentenceOf = () => '';
let numbers;

export const available = meta('languages').split(' ');

/** The stored choice, else the first language of the browser that there is, else the first one. */
function chosen() {
  const wanted = [stored('language'), ...navigator.languages].filter((it) => typeof it === 'string');
  const bases = wanted.flatMap((it) => [it, it.split('-')[0]]);
  return bases.find((it) => available.includes(it)) ?? available[0];
}

export async function loadLanguage(language = chosen()) {
  const response = await fetch(new URL(`./${language}.json`, import.meta.url));
  if (!response.ok) {
    throw new Error(`The texts were answered with ${response.status}`);
  }
  const catalog = await response.json();
  texts = catalog.texts;
  tag = language;
  sentenceOf = translator(catalog.errors, tag);
  numbers = new Intl.NumberFormat(tag);
  document.documentElement.lang = tag;
  document.documentElement.dir = catalog.direction;
}

export const language = () => tag;

/** The name of a language in itself. */
export const nameOfLanguage = (it) => new Intl.DisplayNames([it], { type: 'language' }).of(it);

/** Chooses the language of the page, which it then loads anew. Its own names are in their languages. */
export const languageChoice = () =>
  available.length > 1 &&
  h(
    'select',
    {
      class: 'language',
      'aria-label': t('language'),
      onchange: ({ target }) => {
        store('language', target.value);
        location.reload();
      },
    },
    available.map((it) =>
      h('option', { value: it, lang: it, selected: it === language() }, nameOfLanguage(it)),
    ),
  );

export const hasText = (key) => Object.hasOwn(texts, key);

/**
 * A text of the page, in parts: strings, and the nodes among the values of its placeholders.
 *
 * @param {object} [values] by placeholder. `count` chooses the plural form
 */
export function parts(key, values = {}) {
  const entry = texts[key] ?? key;
  const text =
    typeof entry === 'string'
      ? entry
      : (entry[new Intl.PluralRules(tag).select(values.count)] ?? entry.other);
  return text.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : shown(values[part])));
}

const shown = (value) => (typeof value === 'number' ? numbers.format(value) : value);

/** A text of the page. @param {object} [values] strings and numbers by placeholder */
export const t = (key, values) => parts(key, values).join('');

/**
 * A sentence about an error, with advice. Empty if no catalog knows it.
 *
 * @param {number} [retryAfter] in seconds
 */
export const sentence = ({ code, reason, missing, expiresAt }, retryAfter) =>
  sentenceOf({ code, reason, missing, expiresAt, retryAfter });

/** An event of the audit log in words, or its type. */
export const eventName = (type) => (hasText(`event.${type}`) ? t(`event.${type}`) : plain(type));

/** A factor in words, or its name. */
export const factorName = (name) => (hasText(`factor.${name}`) ? t(`factor.${name}`) : plain(name));

const MINUTE = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' };

/** A time in the zone of the viewer, without the year if it is the current one. @param {boolean} [exact] with seconds, and the offset of the zone */
export function timeText(iso, exact = false) {
  const time = new Date(iso);
  const year = time.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  const options = exact ? { second: '2-digit', timeZoneName: 'shortOffset' } : {};
  return new Intl.DateTimeFormat(tag, { ...MINUTE, year, ...options }).format(time);
}

/** A time in the zone of the viewer, or `Never`. */
export const time = (iso) =>
  iso ? h('time', { datetime: iso }, timeText(iso)) : h('span', { class: 'muted' }, t('never'));

export const duration = (seconds) => {
  // Like the sentences.
  const [size, unit] = seconds > 3600 ? [3600, 'hour'] : seconds > 60 ? [60, 'minute'] : [1, 'second'];
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.ceil(seconds / size),
  );
};
