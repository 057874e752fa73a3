import { describe, expect, it } from '@jest/globals';
import { Controller, Get, RequestMethod } from '@nestjs/common';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthConsoleModule, type KitAuthConsoleOptions } from 'kit-auth-console';
import { testApp } from 'test-support';
import { ConsoleApp, type ConsoleAppOptions } from './app.js';

@Controller('auth-console')
class AtThePath {
  @Get()
  get() {}
}

@Controller('Auth-Console/help')
class BelowThePath {
  @Get(':topic')
  get() {}
}

@Controller('auth-console-help')
class BesideThePath {
  @Get()
  get() {}
}

@Controller()
class Anywhere {
  @Get(':page')
  get() {}
}

const catalog = { $tag: 'fr' };

describe('start-up of an application with a console', () => {
  it.each<[string, ConsoleAppOptions, string]>([
    [
      'without administrative endpoints',
      { admin: false },
      'KitAuthConsoleModule found no administrative endpoints',
    ],
    [
      'with a second factor that nobody can have',
      { console: { requireSecondFactor: true } },
      'kit.auth.console.requireSecondFactor is true, but users cannot have a second factor',
    ],
    [
      'with a route at the path',
      { controllers: [AtThePath] },
      'kit.auth.console.path is /auth-console, where the application has the route GET /auth-console. Choose another',
    ],
    [
      'with a route below the path',
      { controllers: [BelowThePath] },
      'where the application has the route GET /Auth-Console/help/:topic',
    ],
    [
      'with a route at the path behind the prefix',
      { controllers: [AtThePath], configure: (nest) => void nest.setGlobalPrefix('api') },
      'where the application has the route GET /api/auth-console',
    ],
    [
      'twice',
      { imports: [KitAuthConsoleModule.forRoot({ path: '/other' })] },
      'There is more than one KitAuthConsoleModule.forRoot()',
    ],
    [
      'with a catalog without texts',
      { console: { languages: ['en', catalog] } },
      'kit.auth.console.languages: the catalog "fr" lacks "skip", ',
    ],
    [
      'with a catalog with unknown texts',
      { console: { languages: [{ ...catalog, 'log-outt': 'x', skip: 7 }] } },
      'it has the unknown "log-outt"; it has no text or plural forms in "skip". Its keys are those of ' +
        'page/languages/en.json of kit-auth-console.',
    ],
    [
      'with a catalog that says less, or what nobody sees',
      { console: { languages: [{ ...catalog, 'dialog.about': 'Attention.', skip: 'a\u202eb', save: ' ' }] } },
      'it has no text or plural forms in "skip", "save"; it has other placeholders than English in "dialog.about".',
    ],
    [
      'with a catalog whose errors have no texts',
      { console: { languages: [{ ...catalog, $errors: { 40110: { one: 'x' } } }] } },
      'it has no text in its $errors for "40110".',
    ],
    [
      'with a prefix for half of the page',
      {
        configure: (nest) =>
          nest.setGlobalPrefix('api', { exclude: [{ path: 'auth-console', method: RequestMethod.GET }] }),
      },
      'The page of KitAuthConsoleModule is at /auth-console, but its files are at /api/auth-console/{*path}. Exclude both',
    ],
  ])('fails %s', async (_, options, message) => {
    await expect(new ConsoleApp(options).start()).rejects.toThrow(message);
  });

  it('fails without cookies', async () => {
    const starting = testApp({ admin: true, imports: [KitAuthConsoleModule.forRoot()] });
    await expect(starting).rejects.toThrow(
      'KitAuthConsoleModule needs KitAuthBrowserModule of kit-auth-browser',
    );
  });

  it.each<[KitAuthConsoleOptions, RegExp]>([
    [{ path: 'admin' }, /kit\.auth\.console\.path must be a path such as \/auth-console/],
    [{ title: 'x'.repeat(61) }, /kit\.auth\.console\.title must be 1 to 60 characters/],
    [{ home: 'https://evil.example' }, /kit\.auth\.console\.home must be a path of the same origin/],
    [{ languages: ['fr'] }, /kit\.auth\.console\.languages has at position 1 a language/],
  ])('fails with %j', async (console, message) => {
    await expect(new ConsoleApp({ console }).start()).rejects.toThrow(message);
  });

  it.each<ConsoleAppOptions>([
    { controllers: [BesideThePath, Anywhere] },
    { console: { requireSecondFactor: true }, extras: ['factors'] },
    { console: { requireSecondFactor: true }, extras: ['passkeys'] },
    { admin: false, extras: ['keys'] },
  ])('succeeds with %j', async (options) => {
    const app = await new ConsoleApp(options).start();
    expect((await app.request('/auth-console/users')).status).toBe(200);
  });

  it('takes its options from the core, a factory or a class', async () => {
    class Titles {
      create() {
        return { title: 'From a class' };
      }
    }
    const titleOf = async (
      module: typeof KitAuthConsoleModule | ReturnType<typeof KitAuthConsoleModule.forRoot>,
    ) => {
      const options = { console: { title: 'From the core', path: '/admin' } };
      const app = await testApp({ admin: true, options, imports: [KitAuthBrowserModule, module] });
      return /<title>(.*)<\/title>/.exec((await app.request('/admin')).text)?.[1];
    };
    expect(await titleOf(KitAuthConsoleModule)).toBe('From the core');
    expect(await titleOf(KitAuthConsoleModule.forRoot({ title: 'Own' }))).toBe('Own');
    const useFactory = async () => ({ title: 'From a factory' });
    expect(await titleOf(KitAuthConsoleModule.forRootAsync({ useFactory }))).toBe('From a factory');
    expect(await titleOf(KitAuthConsoleModule.forRootAsync({ useClass: Titles }))).toBe('From a class');
  });
});
