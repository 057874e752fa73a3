import type { ModulePage } from './module-page.js';

/** One of `a:not([b="c"]).d#e f`, without the spaces. */
const PART =
  /:not\((?<not>[^)]*)\)|\[(?<attribute>[\w-]+)(?:=["']?(?<value>[^"'\]]*)["']?)?\]|\.(?<class>[\w-]+)|#(?<id>[\w-]+)|(?<tag>[a-z]\w*)/g;

/** As much of an element as the modules of our pages need. */
export class PageElement {
  [key: string]: any;
  childNodes: (PageElement | string)[] = [];
  parent: PageElement | undefined;
  readonly dataset: Record<string, string> = {};
  tabIndex = -1;
  private readonly attributes = new Map<string, string>();
  private readonly listeners = new Map<string, ((event: any) => unknown)[]>();

  constructor(
    private readonly page: ModulePage,
    readonly localName: string,
  ) {}

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }
  set id(value: string) {
    this.setAttribute('id', value);
  }
  get content(): string {
    return this.getAttribute('content') ?? '';
  }
  get href(): string {
    return new URL(this.getAttribute('href') ?? '', 'https://app.example/page/').href;
  }
  get ariaDisabled(): string | null {
    return this.getAttribute('aria-disabled');
  }
  get disabled(): boolean {
    return this.attributes.has('disabled');
  }
  set disabled(value: boolean) {
    this[value ? 'setAttribute' : 'removeAttribute']('disabled', '');
  }
  get checked(): boolean {
    return this['isChecked'] ?? this.attributes.has('checked');
  }
  set checked(value: boolean) {
    this['isChecked'] = value;
  }
  get value(): string {
    const options = this.localName === 'select' ? this.querySelectorAll('option') : [];
    const chosen = options.find((it) => it.attributes.has('selected')) ?? options[0];
    return this['typed'] ?? chosen?.getAttribute('value') ?? this.getAttribute('value') ?? '';
  }
  set value(value: string | undefined) {
    this['typed'] = value ?? '';
  }
  get labels(): PageElement[] {
    return this.page.all(`label[for=${this.id}]`);
  }
  get form(): PageElement | null {
    return this.closest('form');
  }

  get childElementCount(): number {
    return this.elements.length;
  }
  get isConnected(): boolean {
    return this === this.page.document || this.parent?.isConnected === true;
  }
  get textContent(): string {
    return this.childNodes.map((it) => (typeof it === 'string' ? it : it.textContent)).join('');
  }

  append(...nodes: (PageElement | string)[]): void {
    for (const node of nodes) {
      if (node instanceof PageElement) {
        node.remove();
        node.parent = this;
      }
      this.childNodes.push(node);
    }
  }
  replaceChildren(...nodes: (PageElement | string)[]): void {
    this.elements.forEach((it) => it.remove());
    this.childNodes = [];
    this.append(...nodes);
  }
  remove(): void {
    if (this.contains(this.page.active)) {
      this.page.active = this.page.document.querySelector('body')!;
    }
    this.parent?.childNodes.splice(this.parent.childNodes.indexOf(this), 1);
    this.parent = undefined;
  }
  contains(other: PageElement): boolean {
    return other === this || this.elements.some((it) => it.contains(other));
  }

  matches(selector: string): boolean {
    return selector.split(',').some((one) => {
      const parts = one.trim().split(/\s+/);
      if (!this.isOf(parts.pop()!)) {
        return false;
      }
      let above = this.parent;
      for (const part of parts.reverse()) {
        while (above !== undefined && !above.isOf(part)) {
          above = above.parent;
        }
        if (above === undefined) {
          return false;
        }
        above = above.parent;
      }
      return true;
    });
  }
  closest(selector: string): PageElement | null {
    return this.matches(selector) ? this : (this.parent?.closest(selector) ?? null);
  }
  querySelectorAll(selector: string): PageElement[] {
    return this.elements.flatMap((it) => [
      ...(it.matches(selector) ? [it] : []),
      ...it.querySelectorAll(selector),
    ]);
  }
  querySelector(selector: string): PageElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  addEventListener(type: string, listener: (event: any) => unknown): void {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }
  /** Calls the listeners of this element and of those around it. */
  fire(type: string, more: object = {}): void {
    const event = {
      ...{
        type,
        target: this,
        currentTarget: this as PageElement,
        detail: 1,
        button: 0,
        defaultPrevented: false,
      },
      preventDefault: () => void (event.defaultPrevented = true),
      ...more,
    };
    this.hear(event);
    this.page.fire(type, event);
  }
  private hear(event: { readonly type: string; currentTarget: PageElement }): void {
    event.currentTarget = this;
    (this.listeners.get(event.type) ?? []).forEach((listener) => listener(event));
    this.parent?.hear(event);
  }
  click(detail = 1): void {
    if (!this.disabled) {
      this.fire('click', { detail });
      if (this.localName === 'button' && this.getAttribute('type') !== 'button') {
        this.form?.requestSubmit();
      }
    }
  }
  requestSubmit(): void {
    this.fire('submit');
  }
  reset(): void {
    this.querySelectorAll('[name]').forEach((it) => (it.value = ''));
  }
  focus(): void {
    this.page.active = this;
  }
  showModal(): void {
    this.setAttribute('open', '');
  }
  close(): void {
    if (this.attributes.has('open')) {
      this.removeAttribute('open');
      this.fire('close');
    }
  }
  scrollIntoView(): void {}

  private get elements(): PageElement[] {
    return this.childNodes.filter((it) => it instanceof PageElement);
  }
  private isOf(part: string): boolean {
    return [...part.matchAll(PART)].every(({ groups = {} }) => {
      const { not, attribute, value, class: name, id, tag } = groups;
      return not !== undefined
        ? !this.isOf(not)
        : attribute !== undefined
          ? this.attributes.has(attribute) && (value === undefined || this.getAttribute(attribute) === value)
          : name !== undefined
            ? (this.getAttribute('class') ?? '').split(' ').includes(name)
            : id !== undefined
              ? this.id === id
              : this.localName === tag;
    });
  }
}
