import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { decodeQR } from 'qr/decode.js';
import { sweepOf, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo, TimedDemo } from './clock.js';
import { ADMIN, createMember, DemoPage, DEMOS, MEMBER_PASSWORD, ON_EXPRESS } from './page.js';

const STEP_MS = 30_000;
const run = promisify(execFile);
const PLACES = sweepOf(DEMOS, [ON_EXPRESS]);
const profile = sharedChromium();

/** Reads the QR code off the screen, as a phone does. */
async function scan({ tab }: DemoPage): Promise<URL> {
  const png = (await tab.locator('#qr').screenshot()).toString('base64');
  const { width, height, pixels } = await tab.evaluate(async (source) => {
    const { Image, OffscreenCanvas } = globalThis as any;
    const image = Object.assign(new Image(), { src: `data:image/png;base64,${source}` });
    await image.decode();
    const { width, height } = image as { width: number; height: number };
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    return { width, height, pixels: data.join() as string }; // a list would take seconds
  }, png);
  return new URL(decodeQR({ width, height, data: Uint8Array.from(pixels.split(','), Number) }));
}

describe.each(PLACES)('the page of the demo on $platform with $provider', (place) => {
  const demo = sharedDemo(place);

  /** A member who is logged in. */
  async function member(username: string): Promise<DemoPage> {
    const user = await createMember(demo, username);
    const page = await DemoPage.open(await profile(), demo.url);
    await page.logIn(user);
    return page;
  }

  /** Adds a device. @returns its secret, and the recovery codes */
  async function enrol(page: DemoPage, name: string): Promise<{ secret: string; recoveryCodes: string[] }> {
    await page.submit('add-factor', { name });
    await page.shows('enrolment');
    const uri = await scan(page);
    const secret = uri.searchParams.get('secret')!;
    expect((await page.tab.textContent('#secret'))!.replaceAll(' ', '')).toBe(secret);
    await page.submit('enrolment', { code: '000 00' });
    await page.says('Wrong or expired code.');
    await page.submit('enrolment', { code: totpCode(secret, demo.now()) });
    const recoveryCodes = (await page.shownOnce()).split('\n');
    await page.says(`${name} is added. From now on, logins need a code of it.`);
    return { secret, recoveryCodes };
  }

  /** The first step of a login. */
  async function showPassword(page: DemoPage, username: string): Promise<void> {
    await page.tab.click('#logout');
    await page.showsGuest();
    await page.submit('login', { username, password: MEMBER_PASSWORD });
    await page.shows('factor');
  }

  it('adds an authenticator app by its QR code, and asks for codes from then on', async () => {
    const page = await member('ann');
    await page.tab.locator('#factors-none:not([hidden])').waitFor();
    const { secret, recoveryCodes } = await enrol(page, 'My phone');
    expect(recoveryCodes).toHaveLength(10);
    const html = await page.tab.content();
    expect([secret, ...recoveryCodes].filter((text) => html.includes(text))).toEqual([]);

    await showPassword(page, 'ann');
    await page.submit('factor-form', { code: totpCode(secret, demo.now() + 100 * STEP_MS) });
    await page.says('Wrong or expired code.');
    const code = totpCode(secret, demo.now() + STEP_MS);
    await page.submit('factor-form', { code: `${code.slice(0, 3)} ${code.slice(3)}` }); // as apps show it
    await page.tab.locator('#factors li:has-text("My phone")').waitFor();
    expect(await page.tab.textContent('#recovery-count')).toBe('10');

    await showPassword(page, 'ann');
    await page.tab.click('text=Use a recovery code');
    await page.submit('factor-form', { code: recoveryCodes[3]!.toLowerCase() });
    await page.tab.locator('#recovery-count:text-is("9")').waitFor();
    await showPassword(page, 'ann');
    await page.tab.click('text=Use a recovery code');
    await page.submit('factor-form', { code: recoveryCodes[3]! });
    await page.says('Wrong or expired code.');
    await demo.later();
    await page.submit('factor-form', { code: recoveryCodes[4]! });
    await page.says(/Start again with the password/);
    await page.showsGuest();
  });

  it('confirms a login with a code, makes new recovery codes, and removes the device', async () => {
    const page = await member('bob');
    const { secret, recoveryCodes } = await enrol(page, 'My phone');
    await demo.later();
    await page.tab.click('#renew-recovery');
    await page.tab.getByText('This needs your second factor.').waitFor();
    expect(await page.tab.isVisible('#other-proof')).toBe(false); // the password is not enough
    await page.tab.fill('#again-code', totpCode(secret, demo.now()));
    await page.tab.click('#fresh button:not([type])');
    const renewed = (await page.shownOnce()).split('\n');
    expect(renewed.filter((code) => !recoveryCodes.includes(code))).toHaveLength(10);

    await page.tab.click('#factors button');
    await page.says('My phone is removed.');
    await page.tab.locator('#factors-none:not([hidden])').waitFor();
    await page.tab.click('#logout');
    await page.logIn({ username: 'bob', password: MEMBER_PASSWORD });
  });

  it('makes an API key, with a command that works in a terminal until the key ends', async () => {
    const page = await member('eve');
    await demo.later();
    await page.submit('add-key', { name: 'Too much', abilities: 'note:moderate' });
    await page.tab.fill('#again', MEMBER_PASSWORD);
    await page.tab.click('#fresh button:not([type])');
    await page.says(/note:moderate|more than you have|permission/i);
    await page.submit('add-key', { name: 'Backup script', abilities: 'note:read', days: '7' });
    const command = await page.shownOnce();
    const call = async (line: string) => JSON.parse((await run('bash', ['-c', `${line} -s`])).stdout);
    expect((await page.call('POST', '/v1/notes', { title: 'Hello', text: '' })).status).toBe(201);
    expect(await call(command)).toMatchObject([{ title: 'Hello' }]);
    expect(await call(command.replace('/v1/notes', '/v1/api/auth/sessions'))).toMatchObject({ code: 40304 });
    const writing = `${command} -H 'Content-Type: application/json' -d '{"title":"By curl","text":""}'`;
    expect(await call(writing)).toMatchObject({ code: expect.any(Number) });
    expect(await page.tab.content()).not.toContain('kapk_');

    await page.tab.locator('#keys li:has-text("Backup script")').locator('button').click();
    await page.says('The key Backup script has ended.');
    expect(await page.tab.locator('#keys li').count()).toBe(0);
    expect(await call(command)).toMatchObject({ code: 40101, reason: 'logged-out' });
  });
});

it('shows who needs a second factor how to add one, and then the rest of the account', async () => {
  const demo = await new TimedDemo().start({ KIT_AUTH_FACTORS_REQUIRED_FOR: 'SUPER_ADMIN' });
  const page = await DemoPage.open(await profile(), demo.url);
  await page.submit('login', ADMIN);
  await page.says('Set up a second factor first.');
  await page.addPhone(demo);
  await page.tab.locator('#sessions li').waitFor();
  await page.tab.locator('#administration:not([hidden])').waitFor();
});
