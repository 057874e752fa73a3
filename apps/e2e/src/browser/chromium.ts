import { existsSync } from 'node:fs';
import { afterAll, beforeAll } from '@jest/globals';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
/**
 * What each new profile starts beside the page, a third of its time: the pages of the address bar, a spare process, and
 * what talks to servers. Replaces Playwright's list.
 */
const FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
];
/** Nothing that talks to servers of its own, or asks questions. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  `--disable-features=${FEATURES.join(',')}`,
];

/**
 * For the body of a spec: starts Chromium before its tests, and ends it after them. Each call of what it returns opens a
 * new profile.
 *
 * Names that end with `.localhost` lead to this machine, and count as safe without TLS: `Secure` cookies work, and the
 * browser sends `Sec-Fetch-Site`. `a.localhost` and `b.localhost` are different sites, `x.a.localhost` is of the same
 * site as `a.localhost`.
 */
export function sharedChromium(): () => Promise<BrowserContext> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!existsSync(PROGRAM)) {
      throw new Error(`These tests need ${PROGRAM}. Run .ci/chromium as root to install it.`);
    }
    browser = await chromium.launch({
      executablePath: PROGRAM,
      args: FLAGS,
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
  });
  afterAll(() => browser?.close());
  return async () => {
    const context = await browser!.newContext();
    context.setDefaultTimeout(60_000);
    return context;
  };
}
