import { describePackage } from 'test-support';
import { de, en } from './catalogs.js';
import * as client from './client.js';
import { languagesOptions } from './languages.options.js';
import * as index from './index.js';

const OBJECT =
  'kit.auth.languages.languages must be an object with a catalog for each language, such as { en, de }';
const TAGS =
  "kit.auth.languages.languages must have language tags in their usual spelling as keys, such as 'de', 'de-AT' or 'zh-Hant'";
const FALLBACK =
  'kit.auth.languages.fallback must be one of the languages: add its catalog to kit.auth.languages.languages';

describePackage<index.KitAuthLanguagesOptions>({
  at: import.meta.url,
  entries: { '': index, client },
  module: index.KitAuthLanguagesModule,
  definition: languagesOptions,
  options: {},
  defaults: { languages: { en, de }, fallback: 'en', from: 'accept-language', replaceMessage: false },
  wrong: [
    [
      { languages: { en: { ...en, '40115': 'X.' } }, fallback: 'fr', from: 'cookie', replaceMessage: 'yes' },
      "kit.auth.languages.from must be 'accept-language' or a function",
      'kit.auth.languages.replaceMessage must be the boolean true or false',
      'kit.auth.languages.languages.en "40115" is not a valid key. Use a code, a code with a reason such as 40101.idle, factor.*, ' +
        'role.*, $language or $direction',
      FALLBACK,
    ],
    [{ languages: {} }, OBJECT],
    [{ languages: [] }, OBJECT],
    [{ languages: null }, OBJECT],
    [{ languages: { en, 'de_AT!': de } }, TAGS],
    [{ languages: { en, 'de-at': de } }, TAGS],
    [{ languages: { de } }, FALLBACK],
    [
      { languages: { en, fr: { '40110': '<b>X</b>' } } },
      'kit.auth.languages.languages.fr "40110" must be plain text, without HTML',
    ],
  ],
  environment: [
    [
      { KIT_AUTH_LANGUAGES_FALLBACK: 'de', KIT_AUTH_LANGUAGES_REPLACE_MESSAGE: 'true' },
      { fallback: 'de', replaceMessage: true },
    ],
  ],
  needs: { once: /There is more than one ErrorTextSource/ },
});
