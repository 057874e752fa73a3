import { readFileSync } from 'node:fs';
import { Controller, Get, Header } from '@nestjs/common';
import { transformSync } from 'esbuild';
import { Public } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { Passkeys } from 'kit-auth-passkeys/client';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { PASSWORD, type Where } from 'test-support';
import { PasskeysApp } from './app.js';
import { VirtualAuthenticator } from './virtual-authenticator.js';

const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
const PAGE = `<!doctype html>
<title>Passkeys</title>
<form>
  <input autocomplete="username webauthn">
  <input type="password" autocomplete="current-password">
</form>
<button>Log in with a passkey</button>
<output></output>
<script type="module" src="/page.js"></script>`;
const SCRIPT = `
import { createAuthClient } from '/client.js';
import { createPasskeys } from '/passkeys.js';
const say = (text) => document.querySelector('output').append(text + ' ');
const auth = createAuthClient({ onLogin: () => say('other-tab'), onEnd: say });
const passkeys = createPasskeys(auth);
document.querySelector('button').onclick = async () => {
  const login = await passkeys.login({ remember: true });
  say(login ? 'hello ' + login.user.username : 'cancelled');
};
Object.assign(globalThis, { say, auth, passkeys });
`;

/** A client as browsers get it. */
export function scriptOf(name: string): string {
  const source = readFileSync(`packages/${name}/src/client.ts`, 'utf8');
  return transformSync(source, { loader: 'ts', format: 'esm', target: 'es2022' }).code;
}

@Controller()
@Public()
class PageController {
  @Get()
  @Header('Content-Type', 'text/html')
  @Header('Content-Security-Policy', POLICY)
  page() {
    return PAGE;
  }

  @Get('page.js')
  @Header('Content-Type', 'text/javascript')
  script() {
    return SCRIPT;
  }

  @Get('client.js')
  @Header('Content-Type', 'text/javascript')
  client() {
    return scriptOf('kit-auth-browser');
  }

  @Get('passkeys.js')
  @Header('Content-Type', 'text/javascript')
  passkeys() {
    return scriptOf('kit-auth-passkeys');
  }
}

/** An application with a page that uses the clients. Browsers reach it as `localhost`. */
export class PasskeysPageApp extends PasskeysApp {
  readonly url: string;

  constructor(
    { platform, provider }: Pick<Where, 'platform' | 'provider'>,
    private readonly ownPort: number,
  ) {
    const url = `http://localhost:${ownPort}`;
    super({
      platform,
      provider,
      passkeys: { rpId: 'localhost', origins: [url], secondFactor: true },
      imports: [KitAuthBrowserModule, ...(provider === 'jwt' ? [KitAuthRefreshModule] : [])],
      controllers: [PageController],
    });
    this.url = `${url}/`;
  }

  override async start(): Promise<this> {
    await this.create();
    await this.nest.listen(this.ownPort, '127.0.0.1');
    return this;
  }
}

/** A tab with the page, and its authenticator. */
export class PasskeysPage {
  private constructor(
    readonly tab: Page,
    readonly device: VirtualAuthenticator,
  ) {}

  /** @param other a tab whose authenticator has the same passkeys */
  static async open(context: BrowserContext, url: string, other?: PasskeysPage): Promise<PasskeysPage> {
    const tab = await context.newPage();
    const page = new PasskeysPage(tab, await VirtualAuthenticator.of(tab, other?.device));
    await tab.goto(url);
    return page;
  }

  logIn(username: string): Promise<string> {
    return this.run(`auth.login(${JSON.stringify({ username, password: PASSWORD })})`);
  }

  /** Calls a method of the passkeys. @returns `cancelled`, the code or name of an error, or the JSON of the result */
  call(method: keyof Passkeys, ...parameters: unknown[]): Promise<string> {
    return this.run(`passkeys.${method}(${parameters.map((value) => JSON.stringify(value)).join()})`);
  }

  /** Runs code of the page. @returns as `call()` */
  run(code: string, frame: Page | Frame = this.tab): Promise<string> {
    return frame.evaluate(`(async () => {
      try {
        return JSON.stringify(await ${code}) ?? 'cancelled';
      } catch (error) {
        return [error.code, error.reason].filter((part) => part > 1000 || part?.length).join(' ') || error.name;
      }
    })()`);
  }

  /** Offers passkeys in the field of the user name. Resolves when the browser was asked to. */
  async autofill(): Promise<void> {
    await this.run(`new Promise((asked) => {
      const { credentials } = navigator;
      credentials.get = (options) => {
        delete credentials.get;
        const answer = credentials.get(options);
        asked();
        return answer;
      };
      passkeys.autofill({ onLogin: ({ user }) => say(\`chosen \${user.username}\`) });
    })`);
  }

  /** Waits until the page says something. */
  async hears(text: string): Promise<void> {
    await this.tab.locator('output', { hasText: text }).waitFor();
  }

  /** 200, or the code of the refusal. */
  codeOf(path: string): Promise<string> {
    return this.run(
      `auth.fetch('${path}').then(async (answer) => answer.ok ? 200 : (await answer.json()).code)`,
    );
  }

  /** Who is logged in. */
  async who(): Promise<string> {
    return this.run('auth.me().then((user) => user?.username)');
  }
}
