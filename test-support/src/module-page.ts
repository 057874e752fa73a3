import { createContext, SourceTextModule } from 'node:vm';
import { PageElement } from './page-element.js';

/** What a page gets for a request: a status with a body, or nothing, as without a network. */
export type PageAnswer =
  readonly [status: number, json?: unknown, headers?: Record<string, string>] | undefined;

export interface ModulePageOptions {
  /** The modules and other files of the page, by their names. */
  readonly files: ReadonlyMap<string, string>;
  /** `<meta>`s of the page. */
  readonly meta?: Readonly<Record<string, string>>;
  /** The languages of the browser. */
  readonly languages?: readonly string[];
  /** Answers requests below `/v1/api/auth/`. @param call such as `GET users?q=x` */
  readonly answer?: (call: string, body: any) => PageAnswer | Promise<PageAnswer>;
  /** What the browser remembers. */
  readonly storage?: Readonly<Record<string, string>>;
}

const ORIGIN = 'https://app.example';
const ASSETS = `${ORIGIN}/page/assets/`;
const API = `${ORIGIN}/v1/api/auth/`;
/** What the page shows is in the hash. */
const PAGE = `${ORIGIN}/page/#/`;

/**
 * The modules of a web page, in a context of their own and with as much of a browser as they need. What it looks like and
 * how it moves is for a real one.
 */
export class ModulePage {
  readonly document = new PageElement(this, 'html');
  readonly location = new PageLocation(PAGE);
  readonly storage = new PageStorage();
  /** What was sent, such as `PATCH users/17 {"status":"DISABLED"}`. */
  readonly calls: string[] = [];
  /** The element that has the focus. */
  active: PageElement;
  private readonly body = new PageElement(this, 'body');
  private readonly listeners = new Map<string, ((event: any) => unknown)[]>();
  private readonly modules = new Map<string, SourceTextModule>();
  private readonly context: object;
  /** Requests under way. */
  private pending = 0;

  constructor(private readonly options: ModulePageOptions) {
    this.active = this.body;
    const app = new PageElement(this, 'div');
    app.id = 'app';
    this.body.append(app);
    const metas = Object.entries(options.meta ?? {}).map(([name, content]) => {
      const meta = new PageElement(this, 'meta');
      meta.setAttribute('name', name);
      meta.setAttribute('content', content);
      return meta;
    });
    this.document.append(...metas, this.body);
    Object.assign(this.storage, options.storage);
    this.context = createContext(this.globals());
  }

  /** Loads a module, with what it imports. @returns what it exports */
  async load(name: string): Promise<any> {
    const module = this.moduleOf(name);
    if (module.status === 'unlinked') {
      await module.link((specifier) => this.moduleOf(specifier.replace('./', '')));
    }
    await module.evaluate();
    return module.namespace;
  }

  /** Waits until no request is under way, nor follows from the last answer. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.pending === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Goes to an address, as the browser's history does. @param path below the page */
  async go(path: string): Promise<void> {
    this.location.href = PAGE + path;
    this.fire('popstate', {});
    await this.settle();
  }

  /** The address below the page. */
  get path(): string {
    return this.location.href.slice(PAGE.length);
  }

  all(selector: string): PageElement[] {
    return this.document.querySelectorAll(selector);
  }

  /** The texts of elements. */
  texts(selector: string): string[] {
    return this.all(selector).map(({ textContent }) => textContent);
  }

  /** The first element of a selector that has this text, or any. */
  find(selector: string, text?: string): PageElement {
    const found = this.all(selector).find((it) => text === undefined || it.textContent.trim() === text);
    if (found === undefined) {
      throw new Error(`No ${selector} with ${text} in: ${this.body.textContent}`);
    }
    return found;
  }

  /** Clicks, and waits until nothing follows. */
  async press(text: string, selector = 'button, a'): Promise<void> {
    this.find(
      selector.replace(/[^,]+/g, (it) => `body ${it.trim()}`),
      text,
    ).click();
    await this.settle();
  }

  /** Sets the fields of these names, in the last dialog if there is one. */
  fill(values: Readonly<Record<string, string | boolean>>): this {
    for (const [name, value] of Object.entries(values)) {
      const [field] = ['dialog[open] ', 'main '].flatMap((it) => this.all(`${it}[name=${name}]`));
      Object.assign(field!, typeof value === 'boolean' ? { checked: value } : { value });
    }
    return this;
  }

  /** Presses the button of the last form that is shown. */
  async submit(): Promise<void> {
    const within = this.all('dialog[open]').length > 0 ? 'dialog[open]' : 'main';
    this.all(`${within} form`).at(-1)!.requestSubmit();
    await this.settle();
  }

  fire(type: string, event: object): void {
    (this.listeners.get(type) ?? []).forEach((listener) => listener({ preventDefault() {}, ...event }));
  }

  private moduleOf(name: string): SourceTextModule {
    let module = this.modules.get(name);
    if (module === undefined) {
      module = new SourceTextModule(this.options.files.get(name) ?? '', {
        context: this.context,
        identifier: name,
        initializeImportMeta: (meta) => {
          meta.url = ASSETS + name;
        },
        importModuleDynamically: async (specifier: string) => {
          await this.load(specifier.replace('./', ''));
          return this.moduleOf(specifier.replace('./', ''));
        },
      });
      this.modules.set(name, module);
    }
    return module;
  }

  private async fetch(input: any, init: any = {}): Promise<Response> {
    const url = new URL(String(input.url ?? input));
    if (url.href.startsWith(ASSETS)) {
      return new Response(this.options.files.get(url.href.slice(ASSETS.length)));
    }
    const method: string = input.method ?? init.method ?? 'GET';
    const text: string = input.text ? await input.text() : (init.body ?? '');
    const call = `${method} ${url.href.replace(API, '')}`;
    this.calls.push(text === '' ? call : `${call} ${text}`);
    this.pending++;
    try {
      const answer = await this.options.answer?.(call, text === '' ? undefined : JSON.parse(text));
      const signal: AbortSignal | undefined = input.signal ?? init.signal;
      signal?.throwIfAborted();
      if (answer === undefined) {
        throw new TypeError('Failed to fetch');
      }
      const [status, json, headers] = answer;
      return new Response(json === undefined ? null : JSON.stringify(json), {
        status,
        headers: headers ?? {},
      });
    } finally {
      this.pending--;
    }
  }

  private globals(): object {
    const { document, location, storage, listeners } = this;
    const on = (type: string, listener: (event: any) => unknown) =>
      void listeners.set(type, [...(listeners.get(type) ?? []), listener]);
    const activeElement = () => this.active;
    const ofDocument = {
      documentElement: document,
      body: this.body,
      baseURI: `${ORIGIN}/page/`,
      title: 'Administration',
      createElement: (name: string) => new PageElement(this, name),
      querySelector: (selector: string) => document.querySelector(selector),
      querySelectorAll: (selector: string) => document.querySelectorAll(selector),
      getElementById: (id: string) => document.querySelector(`#${id}`),
      addEventListener: on,
      get activeElement() {
        return activeElement();
      },
    };
    const history = {
      state: null as unknown,
      pushState: (state: unknown, _: string, url?: string | URL) => {
        history.state = state;
        location.href = String(url ?? location.href);
      },
      replaceState: (state: unknown, _: string, url?: string | URL) => history.pushState(state, _, url),
    };
    return {
      ...{ document: ofDocument, location, history, localStorage: storage, addEventListener: on },
      ...{ scrollY: 0, scrollTo() {}, navigator: { languages: this.options.languages ?? ['en'] } },
      ...{
        URL,
        URLSearchParams,
        AbortController,
        AbortSignal,
        Request,
        Response,
        Headers,
        Blob,
        performance,
      },
      ...{ Date, setTimeout, clearTimeout, setInterval, clearInterval, fetch: this.fetch.bind(this) },
      FormData: class {
        constructor(private readonly form: PageElement) {}
        *[Symbol.iterator]() {
          yield* this.form.querySelectorAll('[name]').map((it) => [it.getAttribute('name'), it.value]);
        }
      },
    };
  }
}

class PageLocation {
  reloads = 0;

  constructor(public href: string) {}

  get origin(): string {
    return new URL(this.href).origin;
  }
  get pathname(): string {
    return new URL(this.href).pathname;
  }
  get hash(): string {
    return new URL(this.href).hash;
  }
  reload(): void {
    this.reloads++;
  }
  toString(): string {
    return this.href;
  }
}

class PageStorage {
  [key: string]: any;

  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? this[key] : null;
  }
  setItem(key: string, value: string): void {
    this[key] = value;
  }
}
