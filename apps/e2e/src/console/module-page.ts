import { ModulePage } from 'test-support';
import { type ConsoleApp, metaOf } from './app.js';

const API = '/v1/api/auth/';

/** The console of an application in process, as the server sends it, and the refusals that it gets. */
export async function modulePage(
  app: ConsoleApp,
  token: string,
): Promise<ModulePage & { readonly refused: string[] }> {
  const { text } = await app.request('/auth-console');
  const folder = /assets\/[\w-]+\//.exec(text)![0];
  const names = [...text.matchAll(/modulepreload href=assets\/[\w-]+\/([\w.-]+)/g)].map(([, name]) => name!);
  const files = await Promise.all(
    [...names, 'en.json'].map(
      async (name) => [name, (await app.request(`/auth-console/${folder}${name}`)).text] as const,
    ),
  );
  const refused: string[] = [];
  const page = new ModulePage({
    files: new Map(files),
    meta: { api: '../', home: metaOf(text, 'home'), languages: 'en' },
    async answer(call, body) {
      const [method, path] = call.split(' ') as [string, string];
      const { status, json } = await app.request(API + path, { method, token, ...(body && { json: body }) });
      if (status >= 400) {
        refused.push(`${call}: ${json?.code ?? status}`);
      }
      return [status, json];
    },
  });
  page.location.href += 'account';
  void page.load('page.js');
  await page.settle();
  return Object.assign(page, { refused });
}
