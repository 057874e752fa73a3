import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

type Items = DefaultTheme.SidebarItem[];

const docs = join(import.meta.dirname, '..');

/** Every page of the site has an entry here. `.ci/site` checks it. */
export function sidebar(): Items {
  return [
    group('Introduction', {
      'Start in five minutes': '/start',
      Concepts: '/concepts',
      'Which packages do I need?': '/guides/which-packages',
      'JWTs or sessions': '/guides/implementations',
      'Compared with': '/compared-with',
    }),
    group('Routes and users', {
      'Protect routes': '/guides/routes',
      'Roles and permissions': '/guides/roles-and-permissions',
      Administration: '/guides/administration',
      'Changes and tokens': '/guides/changes-and-tokens',
      'Tables and migrations': '/guides/tables-and-migrations',
      'Options from a factory': '/guides/options-from-a-factory',
      Passwords: '/guides/passwords',
      'Password hashes': '/guides/password-hashes',
      'Login throttle': '/guides/login-throttle',
      Events: '/guides/events',
    }),
    group('Logins', {
      Sessions: '/guides/sessions',
      JWTs: '/guides/jwt',
      'Signing keys': '/guides/signing-keys',
      'Verify tokens elsewhere': '/guides/verifying-tokens',
      Redis: '/guides/redis',
      'Refresh tokens': '/guides/refresh-tokens',
      Browsers: '/guides/browsers',
      'Fresh logins (step-up)': '/guides/step-up',
      'Second factor': '/guides/second-factor',
      'Your own login and logout': '/guides/own-logins',
      'Log in by other means': '/guides/other-logins',
      Passkeys: '/guides/passkeys',
      'Google, Microsoft, GitHub': '/guides/providers',
      'Set up Google': '/guides/provider-google',
      'Set up Microsoft': '/guides/provider-microsoft',
      'Set up GitHub': '/guides/provider-github',
      'API keys': '/guides/api-keys',
      'Tokens of other issuers': '/guides/issuers',
      'Set up Keycloak, Entra ID, Auth0': '/guides/issuer-settings',
      'Protect an MCP server': '/guides/mcp',
      Sockets: '/guides/sockets',
    }),
    group('Accounts', {
      'Password reset': '/guides/password-reset',
      'Administration page': '/guides/console',
      Registration: '/guides/registration',
      'Login links': '/guides/login-links',
      Mails: '/guides/mails',
      Languages: '/guides/languages',
    }),
    group('Your own users', {
      'What a store does': '/guides/your-own-users',
      'With TypeORM': '/guides/users-typeorm',
      'With Drizzle': '/guides/users-drizzle',
      'With MikroORM': '/guides/users-mikro-orm',
      'With Prisma': '/guides/users-prisma',
      'With Mongoose': '/guides/users-mongoose',
    }),
    group('Build and run', {
      'Command line': '/guides/command-line',
      'Test your application': '/guides/testing',
      GraphQL: '/guides/graphql',
      OpenAPI: '/guides/openapi',
      'Background jobs': '/guides/jobs',
      'Own guards and filters': '/guides/own-guards-and-filters',
      CommonJS: '/guides/commonjs',
      Observability: '/guides/observability',
      'Production checklist': '/guides/production',
    }),
    group('Extend kit-auth', {
      'Ports and building blocks': '/guides/extend/',
      'A package': '/guides/extend/package',
      'An implementation': '/guides/extend/implementation',
      'A credential': '/guides/extend/credential',
      'A login step': '/guides/extend/login-step',
      'A token transport': '/guides/extend/token-transport',
      'A user store': '/guides/extend/user-store',
      'Conformance suites': '/guides/extend/conformance-suites',
    }),
    group('Moving to kit-auth', {
      'From passport-jwt': '/guides/moving-from-passport',
      'From better-auth': '/guides/moving-from-better-auth',
      'From Lucia': '/guides/moving-from-lucia',
    }),
    group('Reference', {
      Configuration: '/reference/configuration',
      Endpoints: '/reference/endpoints',
      Errors: '/reference/errors',
      'Test functions': '/reference/testing',
      Security: '/security',
      Performance: '/performance',
    }),
    { text: 'API', link: '/reference/api/', collapsed: true, items: api() },
    {
      text: 'Project',
      collapsed: true,
      items: [
        ...entries({
          Contributing: '/contributing',
          Layout: '/layout',
          'Two journeys': '/journeys',
          Changelog: '/changelog',
        }),
        { text: 'Decisions', link: '/decisions/', collapsed: true, items: decisions() },
      ],
    },
  ];
}

function group(text: string, links: Record<string, string>): DefaultTheme.SidebarItem {
  return { text, collapsed: false, items: entries(links) };
}

function entries(links: Record<string, string>): Items {
  return Object.entries(links)
    .map(([text, link]) => ({ text, link }))
    .filter(({ link }) => existsSync(join(docs, `${link}${link.endsWith('/') ? 'index' : ''}.md`)));
}

function pages(folder: string): string[] {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md') && name !== 'index.md')
    .map((name) => name.replace(/\.md$/, ''))
    .sort();
}

function decisions(): Items {
  return pages('decisions').map((name) => {
    const [, title] = /^# (.*)$/m.exec(readFileSync(join(docs, 'decisions', `${name}.md`), 'utf8')) ?? [];
    return { text: title ?? name, link: `/decisions/${name}` };
  });
}

/** The entries of each package, which TypeDoc has written. */
function api(): Items {
  return pages('reference/api').map((text) => {
    const folder = join(docs, 'reference/api', text);
    const others = existsSync(folder) ? pages(`reference/api/${text}`) : [];
    return {
      text,
      link: `/reference/api/${text}`,
      collapsed: true,
      items: others.map((name) => ({ text: `${text}/${name}`, link: `/reference/api/${text}/${name}` })),
    };
  });
}
