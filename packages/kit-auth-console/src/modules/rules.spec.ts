import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ALL_BUT_DATE, ModulePage, type ModulePageOptions, type PageAnswer } from 'test-support';
import { readAssets } from '../files/assets.js';
import { PAGE } from '../files/packages.js';

const { files } = readAssets({ languages: ['en', 'de'] }, false);
const FILES = new Map([...files].map(([name, { content }]) => [name, content]));
const META = { api: '../', languages: 'en de' };

const pageOf = (options: Partial<ModulePageOptions> = {}) =>
  new ModulePage({ files: FILES, meta: META, ...options });
/** A module of a page whose texts are there. */
const loaded = async (name: string, page = pageOf()) => {
  await (await page.load('language.js')).loadLanguage();
  return { page, module: await page.load(name) };
};
const textsOf = (page: ModulePage, nodes: unknown) => {
  const element = page.find('#app');
  element.replaceChildren(...([nodes].flat(Infinity).filter(Boolean) as []));
  return element.textContent;
};

describe('what an administrator reaches', () => {
  const ROLES = [
    { code: 'plain', permissions: ['note:*', 'author:read'], includes: [] },
    { code: 'reader', permissions: ['auth:user:read'], includes: [] },
    { code: 'writer', permissions: ['auth:user:write'], includes: ['reader'] },
    { code: 'auditor', permissions: ['auth:audit:read'], includes: [] },
    { code: 'all', permissions: ['*'], includes: [] },
    { code: 'wide', permissions: ['*:read'], includes: [] },
    { code: 'ring-1', permissions: [], includes: ['ring-2'] },
    { code: 'ring-2', permissions: ['auth:*'], includes: ['ring-1', 'nobody'] },
  ];
  const accessWith = async (...permissions: string[]) => {
    const page = pageOf({
      answer: () => [200, { user: { userId: 7, superAdmin: permissions.includes('super') }, permissions }],
    });
    const module = await page.load('access.js');
    await module.loadAccess();
    return module;
  };

  it.each<[held: string[], reached: string[]]>([
    [[], ['plain']],
    [['auth:user:read'], ['plain', 'reader']],
    [['auth:user:*'], ['plain', 'reader', 'writer']],
    [['auth:*:read'], ['plain', 'reader', 'auditor']],
    [['auth:*'], ['plain', 'reader', 'writer', 'auditor', 'ring-1', 'ring-2']],
    [['auth:user'], ['plain']],
    [['*'], ['plain', 'reader', 'writer', 'auditor', 'all', 'wide', 'ring-1', 'ring-2']],
    [['super'], [...ROLES.map(({ code }) => code), 'SUPER_ADMIN']],
  ])('with %j are the roles %j', async (held, reached) => {
    const { reaches } = await accessWith(...held);
    const codes = [...ROLES.map(({ code }) => code), 'SUPER_ADMIN'];
    expect(codes.filter((code) => reaches([code], ROLES))).toEqual(reached);
  });

  it('is asked about where a role is administrative, also by one that it includes', async () => {
    const { areAdministrative, isMe, withIncluded } = await accessWith();
    const codes = [...ROLES.map(({ code }) => code), 'SUPER_ADMIN', 'nobody'];
    expect(codes.filter((code) => !areAdministrative([code], ROLES))).toEqual(['plain', 'nobody']);
    const included = [...withIncluded(['ring-1', 'writer'], ROLES).keys()];
    expect(included.sort()).toEqual(['reader', 'ring-1', 'ring-2', 'writer']);
    expect([isMe(7), isMe('7'), isMe('07')]).toEqual([true, true, false]);
  });
});

describe('requests of the page', () => {
  it.each([
    ['a/b?c#d', 'a%2Fb%3Fc%23d'],
    ['...', '...'],
    ['%2e%2e', '%252e%252e'],
  ])('have %j as the segment %s', async (value, segment) => {
    expect((await pageOf().load('api.js')).segment(value)).toBe(segment);
  });

  it.each(['', '.', '..'])('are not sent with the segment "%s", which is a folder', async (value) => {
    const { segment } = await pageOf().load('api.js');
    expect(() => segment(value)).toThrow(expect.objectContaining({ code: 40400 }));
  });

  it('have a query without what is empty', async () => {
    const { queryOf } = await pageOf().load('api.js');
    expect(queryOf({ q: 'a&b', role: '', page: undefined, size: 0 })).toBe('?q=a%26b&size=0');
    expect(queryOf({ q: '' })).toBe('');
  });

  const OLD: PageAnswer = [401, { code: 40120, missing: ['password'] }];

  it('are repeated after a confirmation, which is asked for once', async () => {
    let isFresh = false;
    const page = pageOf({ answer: () => (isFresh ? [200, { ok: true }] : OLD) });
    const { call, on } = await page.load('api.js');
    const refusals: unknown[] = [];
    on.confirm = async (error: { missing: unknown }) => {
      refusals.push(error.missing);
      await page.settle();
      return (isFresh = true);
    };
    const answers = await Promise.all([call('PATCH', 'a', { x: 1 }), call('DELETE', 'b')]);
    expect(answers).toEqual([{ ok: true }, { ok: true }]);
    expect(refusals).toEqual([['password']]);
    expect(page.calls.sort()).toEqual(['DELETE b', 'DELETE b', 'PATCH a {"x":1}', 'PATCH a {"x":1}']);
  });

  it('are not repeated as another user, who has logged in while the page asked', async () => {
    const page = pageOf({ answer: () => OLD });
    const { auth, call, on } = await page.load('api.js');
    on.confirm = async () => {
      auth.loggedIn(); // as another tab would say
      return true;
    };
    await expect(call('DELETE', 'b')).rejects.toMatchObject({ code: 'LOGIN_CHANGED' });
    expect(page.calls).toEqual(['DELETE b']);
    const { module } = await loaded('notices.js');
    expect(module.failure({ code: 'LOGIN_CHANGED', response: {} })).toBeUndefined(); // the page shows the other user
  });

  it('are not repeated without it', async () => {
    const page = pageOf({ answer: () => OLD });
    const { call } = await page.load('api.js');
    await expect(call('DELETE', 'b')).rejects.toMatchObject({ code: 40120, isCancelled: true });
    expect(page.calls).toHaveLength(1);
  });

  it('tell that a permission is gone, and throw the members of a refusal', async () => {
    const page = pageOf({ answer: () => [403, { code: 40300, message: 'No' }, { 'Retry-After': '7' }] });
    const { call, on, retryAfter } = await page.load('api.js');
    let told = 0;
    on.forbidden = () => told++;
    const error = await call('GET', 'users').catch((reason: unknown) => reason);
    expect([error, told, retryAfter(error)]).toEqual([expect.objectContaining({ code: 40300 }), 1, 7]);
    expect(retryAfter({})).toBeUndefined();
  });
});

describe('the texts of the page', () => {
  const CATALOGS = ['en', 'de'].map(
    (tag) => JSON.parse(readFileSync(`${PAGE}/languages/${tag}.json`, 'utf8')) as Record<string, unknown>,
  );
  const [english, german] = CATALOGS as [Record<string, unknown>, Record<string, unknown>];
  const code = readdirSync(PAGE)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(`${PAGE}/${name}`, 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''))
    .join('\n');
  const quoted = new Set([...code.matchAll(/'([^'\n]*)'/g)].map(([, text]) => text!));

  it('have the same keys, plural forms and placeholders in both languages', () => {
    const shapeOf = (catalog: Record<string, unknown>) =>
      Object.entries(catalog).map(([key, text]) => [
        key,
        typeof text,
        [...new Set(JSON.stringify(text).match(/\{\w+\}/g))].sort().join(),
      ]);
    expect(shapeOf(german)).toEqual(shapeOf(english));
  });

  it('are all used, and each that is used exists', () => {
    const prefixes = [...code.matchAll(/`([\w.-]*)\$\{[^}]*\}([\w.-]*)`/g)].map(
      ([, before, after]) => new RegExp(`^${before}[\\w-]+${after}$`),
    );
    const keys = Object.keys(english).filter((key) => !key.startsWith('$'));
    expect(keys.filter((key) => !quoted.has(key) && !prefixes.some((it) => it.test(key)))).toEqual([]);
    const used = [...code.matchAll(/\b(?:t|parts|button)\(\s*'([^']+)'/g)].map(([, key]) => key!);
    expect(used.length).toBeGreaterThan(150);
    expect(used.filter((key) => !Object.hasOwn(english, key))).toEqual([]);
  });

  /** What looks like a text, and is none: names of browsers, values of attributes. */
  const NO_TEXTS =
    /^(Edge|Opera|Samsung Internet|Firefox|Chrome|Safari|Android|Windows|Linux|SamsungBrowser|(GET|POST|PUT|PATCH|DELETE) .*|username webauthn|tag (bad|good|warn))$/;
  it('are no part of the modules, but for the one without a catalog', () => {
    const classes = new Set([...code.matchAll(/class(?:Name)?: '([^']*)'/g)].map(([, name]) => name!));
    const texts = [...quoted].filter((it) => /[A-Za-z]{2} [a-z]{2}|^[A-Z][a-z]+( [a-z]+)*$/.test(it));
    expect(texts.filter((it) => !NO_TEXTS.test(it) && !classes.has(it))).toEqual([
      'The page could not be loaded. Reload it.',
    ]);
  });

  it('name each event of the audit log, which stores all but two', async () => {
    const { EVENT_TYPES } = await pageOf().load('event-types.js');
    expect(Object.keys(english).filter((key) => key.startsWith('event.'))).toEqual(
      EVENT_TYPES.map((it: string) => `event.${it}`),
    );
    const known = readdirSync('packages').flatMap((name) =>
      readdirSync(`packages/${name}/src`, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.ts$/.test(file) && !/\.spec\.ts$/.test(file))
        .flatMap((file) => [
          ...readFileSync(`packages/${name}/src/${file}`, 'utf8').matchAll(
            /interface AuthEventTypes \{\s*([^}]*)\}/g,
          ),
        ]),
    );
    const types = known.flatMap(([, members]) =>
      [...members!.replace(/\/\*\*[^]*?\*\//g, '').matchAll(/'?([a-z-]+)'?:/g)].map(([, type]) => type!),
    );
    expect([...new Set(types)].filter((type) => !EVENT_TYPES.includes(type))).toEqual([
      'token-refreshed',
      'socket-closed',
    ]);
  });

  it.each<[stored: string | undefined, ofBrowser: string[], expected: string]>([
    [undefined, ['de-AT', 'en'], 'de'],
    [undefined, ['fr-FR', 'de'], 'de'],
    [undefined, ['fr'], 'en'],
    ['de', ['en'], 'de'],
    ['xx', ['de'], 'de'],
  ])('are chosen by what is stored, %s, and by the browser, %j: %s', async (stored, languages, expected) => {
    const page = pageOf({ languages, ...(stored && { storage: { 'kit-auth-console language': stored } }) });
    const module = await page.load('language.js');
    await module.loadLanguage();
    const html = page.document as unknown as { lang: string; dir: string };
    expect([module.language(), html.lang, html.dir]).toEqual([expected, expected, 'ltr']);
  });

  it('are chosen by the user, and remembered', async () => {
    const page = pageOf();
    const module = await page.load('language.js');
    await module.loadLanguage();
    const select = module.languageChoice();
    expect(select.textContent).toBe('EnglishDeutsch');
    select.value = 'de';
    select.fire('change', { target: select });
    expect([page.storage['kit-auth-console language'], page.location.reloads]).toEqual(['de', 1]);
    const one = pageOf({ meta: { ...META, languages: 'de' } });
    expect((await one.load('language.js')).languageChoice()).toBe(false);
  });

  describe.each(['en', 'de'])('in %s', (tag) => {
    let module: any;
    let page: ModulePage;
    beforeAll(async () => {
      page = pageOf();
      module = await page.load('language.js');
      await module.loadLanguage(tag);
    });

    it('have numbers, plural forms and lengths of time', () => {
      const isGerman = tag === 'de';
      expect([module.t('pager.total', { count: 1 }), module.t('pager.total', { count: 12345 })]).toEqual(
        isGerman ? ['1 Eintrag', '12.345 Einträge'] : ['1 entry', '12,345 entries'],
      );
      expect([1, 60, 61, 3600, 3601].map((it) => module.duration(it))).toEqual(
        isGerman
          ? ['1 Sekunde', '60 Sekunden', '2 Minuten', '60 Minuten', '2 Stunden']
          : ['1 second', '60 seconds', '2 minutes', '60 minutes', '2 hours'],
      );
      expect(module.nameOfLanguage('de')).toBe('Deutsch');
    });

    it('keep nodes in the places of names, and fall back to the key', () => {
      const name = (page.document as any).querySelector('#app');
      expect(module.parts('dialog.about', { name })[1]).toBe(name);
      expect(module.t('no.such.key')).toBe('no.such.key');
      expect([module.eventName('my\u202eevent'), module.factorName('sms')]).toEqual(['my?event', 'sms']);
      expect(module.factorName('totp')).toBe(tag === 'de' ? 'Authenticator-App' : 'Authenticator app');
    });

    it('have times without the year of now, and Never', () => {
      const year = new Date().getFullYear();
      expect(module.timeText(`${year}-03-04T12:00:00Z`)).not.toContain(String(year));
      expect(module.timeText('2019-03-04T12:00:00Z')).toContain('2019');
      expect(module.timeText('2019-03-04T12:00:07Z', true)).toMatch(/:07.*(GMT|UTC)/);
      expect(module.time(null).textContent).toBe(tag === 'de' ? 'Nie' : 'Never');
      expect(module.time('2019-03-04T12:00:00Z').getAttribute('datetime')).toBe('2019-03-04T12:00:00Z');
    });

    it('say what an error of the server means', () => {
      expect(module.sentence({ code: 40101, reason: 'idle' })).toMatch(/^[A-Z].*\.$/);
      expect(module.sentence({ code: 42900 }, 61)).toContain(tag === 'de' ? '2 Minuten' : '2 minutes');
      expect(module.sentence({ code: 1 })).toBe('');
    });
  });
});

describe('texts of users', () => {
  it.each([
    ['a\u202eb\u2066c', 'a?b?c'],
    ['a\0b\u001b\u007f\u2028\ufeff\u200b\u00ad\u2800', 'a?b???????'],
    ['a\ud800b\ufff9c', 'a?b?c'],
    ['می\u200cخواهم 👩\u200d💻 ❤\ufe0f', 'می\u200cخواهم 👩\u200d💻 ❤\ufe0f'],
    [7, '7'],
  ])('are shown without what nobody sees: %j', async (text, shown) => {
    expect((await pageOf().load('dom.js')).plain(text)).toBe(shown);
  });

  it('are never read as HTML, and do not change the direction of what is around them', async () => {
    const page = pageOf();
    const { data, code, h } = await page.load('dom.js');
    const element = h(
      'p',
      { title: '"><b>', hidden: true, lang: null },
      '<b>',
      [data('<i>'), [code('c')]],
      false,
    );
    expect(element.childNodes).toEqual(['<b>', expect.anything(), expect.anything()]);
    expect(['title', 'hidden', 'lang'].map((it) => element.getAttribute(it))).toEqual(['"><b>', '', null]);
    expect([element.textContent, data('x').getAttribute('dir'), code('x').getAttribute('dir')]).toEqual([
      ...['<b><i>c', 'auto', 'ltr'],
    ]);
  });

  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36', 'Chrome, Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/120.0 Safari/537.36 Edg/120.0', 'Edge, Windows'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/120.0 Safari/537.36 OPR/106.0', 'Opera, Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1', 'Safari, iPhone'],
    ['Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) CriOS/120.0 Safari/604.1', 'Chrome, iPad'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14.0; rv:120.0) Firefox/120.0', 'Firefox, macOS'],
    [
      'Mozilla/5.0 (Linux; Android 13) SamsungBrowser/23.0 Chrome/115.0 Safari/537.36',
      'Samsung Internet, Android',
    ],
    ['Firefox/1', 'Firefox'],
    ['curl/8.0', undefined],
  ])('that a browser calls itself are short: %s', async (agent, device) => {
    expect((await pageOf().load('device.js')).deviceOf(agent)).toBe(device);
  });
});

describe('forms', () => {
  let page: ModulePage;
  let forms: any;
  let sent: unknown[];
  beforeAll(async () => void ({ page, module: forms } = await loaded('forms.js')));

  const show = (options: object = {}) => {
    sent = [];
    const name = forms.field({ name: 'name', label: 'Name', required: true, hint: 'Any' });
    const age = forms.field({
      ...{ name: 'age', label: 'Age', value: '7', id: 'age' },
      check: (value: string) => (/^\d+$/.test(value) ? undefined : 'No number'),
    });
    const stays = forms.field({ name: 'stays', label: 'Stay', type: 'checkbox' });
    const form = forms.form({
      content: [name, age, stays],
      action: 'Go',
      submit: (values: unknown) => void sent.push(values),
      words: { 40900: 'users.taken' },
      blamed: { 40900: name },
      ...options,
    });
    textsOf(page, form);
    return { form, name, age, stays };
  };

  it('send their values', async () => {
    const { form, name, stays } = show();
    name.control.value = 'Ada';
    stays.control.checked = true;
    form.requestSubmit();
    await page.settle();
    expect(sent).toEqual([{ name: 'Ada', age: '7', stays: true }]);
    expect(page.texts('.summary')).toEqual(['']);
  });

  it('say which fields are wrong, in a summary and beside them, and focus the first', async () => {
    const { form, name, age } = show();
    age.control.value = 'x';
    form.requestSubmit();
    await page.settle();
    expect(page.texts('.summary')).toEqual(['Correct these fields:NameAge']);
    expect(page.texts('.field-error')).toEqual(['Fill in this field.', 'No number', '']);
    const id = name.control.id as string;
    expect([name, age].map(({ control }) => control.getAttribute('aria-invalid'))).toEqual(['true', 'true']);
    expect(name.control.getAttribute('aria-describedby')).toBe(`${id}-hint ${id}-error`);
    expect([page.active, sent]).toEqual([name.control, []]);
    page.find('.summary a', 'Age').click();
    expect(page.active).toBe(age.control);

    [name.control.value, age.control.value] = ['Ada', '8'];
    form.requestSubmit();
    await page.settle();
    expect(sent).toHaveLength(1);
    expect(page.texts('.field-error')).toEqual(['', '', '']);
    expect(name.control.getAttribute('aria-describedby')).toBe(`${id}-hint`);
    expect(age.control.getAttribute('aria-describedby')).toBeNull();
  });

  it('blame the field that a refusal is about, and keep what was typed', async () => {
    const refusal = Object.assign(new Error(), {
      code: 40900,
      response: { status: 409, headers: new Headers() },
    });
    const { form, name } = show({ submit: () => Promise.reject(refusal) });
    name.control.value = 'Ada';
    form.requestSubmit();
    await page.settle();
    const sentence = 'Another user has this name. Choose a different one.';
    expect(page.texts('.summary .notice p').slice(0, 1)).toEqual([sentence]);
    expect([page.texts('.field-error')[0], name.read()]).toEqual([sentence, 'Ada']);
    expect(page.active).toBe(name.control);
  });

  it('send nothing again while they are under way', async () => {
    let finish = () => {};
    let times = 0;
    const { form, name } = show({
      submit: () => (times++, new Promise<void>((resolve) => (finish = resolve))),
    });
    name.control.value = 'Ada';
    form.requestSubmit();
    form.requestSubmit();
    await page.settle();
    expect(times).toBe(1);
    finish();
    await page.settle();
    form.requestSubmit();
    expect(times).toBe(2);
  });

  it('take lists with lines and commas, each entry once', () => {
    expect(forms.linesOf(' a, b\n\nb ,,c\r\n')).toEqual(['a', 'b', 'c']);
  });

  it('ignore the second click of a double click', async () => {
    const { actionButton } = await page.load('buttons.js');
    let clicks = 0;
    textsOf(page, [
      actionButton('End', () => clicks++),
      actionButton('Never', () => clicks++, { why: 'No' }),
    ]);
    [1, 2, 3].forEach((detail) => page.find('button', 'End').click(detail));
    page.find('button', 'Never').click();
    expect([clicks, page.texts('.hint')]).toEqual([1, ['No']]);
  });
});

describe('failures', () => {
  let page: ModulePage;
  let notices: any;
  beforeAll(async () => void ({ page, module: notices } = await loaded('notices.js')));
  const refusal = (code: number | undefined, status: number, more: object = {}, headers = {}) =>
    Object.assign(new Error('Why'), { code, response: { status, headers: new Headers(headers) }, ...more });

  it.each([
    ['no network', new TypeError('x'), 'There is no connection to the server.', true],
    ['a timeout', Object.assign(new Error(), { name: 'TimeoutError' }), 'There is no connection', true],
    ['an answer without a code', refusal(undefined, 502), 'Something went wrong.', true],
    ['a refusal', refusal(40400, 404), 'This does not exist', false],
    ['an outage', refusal(50300, 503), 'try again', true],
  ])('of %s are in words, with a button where it can help', (_name, error, words, canRetry) => {
    const retry = () => undefined;
    expect(textsOf(page, notices.failure(error, retry)).toLowerCase()).toContain(
      words.toLowerCase().slice(0, 12),
    );
    expect(page.texts('#app button')).toEqual(canRetry ? ['Try again'] : []);
    textsOf(page, notices.failure(error));
    expect(page.texts('#app button')).toEqual([]);
  });

  it('have their code, reason and message for support, in English', () => {
    textsOf(page, notices.failure(refusal(40010, 400, { reason: 'expired' })));
    expect(page.texts('details code')).toEqual(['40010 expired']);
    expect(page.find('details p[lang=en]').textContent).toBe('Why');
  });

  it('are said in the words of the page, where it knows more', () => {
    const failure = notices.failure(refusal(40900, 409), undefined, { 40900: 'roles.in-use' });
    expect(textsOf(page, failure)).toContain('The role is in use.');
  });

  it.each([
    { isCancelled: true },
    { isShown: true },
    { name: 'AbortError' },
    { code: 40100 },
    { code: 40101 },
  ])('like %j are shown elsewhere', (members) => {
    expect(notices.failure(Object.assign(new Error(), members))).toBeUndefined();
  });

  it('after too many attempts count down how long to wait, and keep the button off until then', async () => {
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE.filter((it) => !/Interval/.test(it)) });
    const { page: own, module } = await loaded('notices.js');
    const error = refusal(42900, 429, {}, { 'Retry-After': '61' });
    textsOf(own, module.failure(error, Date.now));
    const after = (seconds: number) => {
      jest.advanceTimersByTime(seconds * 1000);
      return own.find('[aria-live]').textContent;
    };
    expect(after(2)).toBe('You can try again in 59 seconds.');
    expect(after(58)).toBe('You can try again in 1 second.');
    expect(own.find('#app button').disabled).toBe(true);
    expect([after(1), own.find('#app button').disabled]).toEqual(['You can try again now.', false]);
    jest.useRealTimers();
  });

  it('and results replace each other', () => {
    textsOf(page, notices.notices);
    notices.notify('Saved');
    notices.fail(refusal(40900, 409));
    expect([page.texts('.good'), page.texts('.bad').length]).toEqual([[], 1]);
    notices.notify('Saved');
    expect([page.texts('.good'), page.texts('.bad')]).toEqual([['Saved'], []]);
  });
});

describe('lists', () => {
  it.each<[query: object, stored: string | undefined, size: string]>([
    [{}, undefined, '20'],
    [{ size: '50' }, '100', '50'],
    [{ size: '7' }, '100', '100'],
    [{ size: '100000' }, 'x', '20'],
  ])('have a size of %j, and %s: %s', async (query, stored, size) => {
    const page = pageOf(stored ? { storage: { 'kit-auth-console size': stored } } : {});
    expect((await page.load('tables.js')).sizeOf(query)).toBe(size);
  });

  it.each<[list: object, text: string, links: string[]]>([
    [{ page: 1, size: 20, total: 20 }, '20 entries', []],
    [{ page: 1, size: 20, total: 21 }, 'Page 1 of 221 entries', ['users?q=a&page=2']],
    [{ page: 2, size: 20, total: 41 }, 'Page 2 of 341 entries', ['users?q=a', 'users?q=a&page=3']],
    [{ page: 2, size: 20, total: null }, 'Page 2', ['users?q=a', 'users?q=a&page=3']],
    [{ page: 1, size: 100, total: 50 }, 'Page 1 of 150 entries', []],
  ])('with %j say %s, and lead to %j', async (list, text, links) => {
    const page = pageOf();
    page.location.href += 'users?q=a';
    const { module } = await loaded('tables.js', page);
    expect(textsOf(page, module.pager(list))).toMatch(new RegExp(`^${text}`));
    expect(page.all('#app a').map(({ href }) => href.split('/page/#/')[1])).toEqual(links);
  });
});
