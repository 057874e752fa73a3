import { defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { withMermaid } from 'vitepress-plugin-mermaid';
import { siteLinks } from './links.mjs';
import { anchorOf } from './markdown.mjs';
import { REPOSITORY, sourceOf } from './pages.mjs';
import { sidebar } from './sidebar.mjs';

export default withMermaid(
  defineConfig({
    title: 'kit-auth',
    description: 'Token-based authentication and authorization for NestJS',
    lang: 'en',
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
    markdown: {
      anchor: { slugify: anchorOf },
    },
    vite: {
      plugins: [siteLinks(), llmstxt({ injectLLMHint: false })],
      build: { chunkSizeWarningLimit: 1500 }, // the search index, which the search loads
    },
    transformPageData: ({ filePath, frontmatter }) => {
      frontmatter.editUrl = `${REPOSITORY}/edit/main/${sourceOf(filePath)}`;
    },
    themeConfig: {
      logo: '/logo.svg',
      nav: [
        { text: 'Start', link: '/start', activeMatch: '^/(start|concepts)' },
        { text: 'Guides', link: '/guides/routes', activeMatch: '^/guides/' },
        { text: 'Reference', link: '/reference/configuration', activeMatch: '^/reference/' },
        { text: 'Security', link: '/security' },
      ],
      sidebar: sidebar(),
      outline: [2, 3],
      search: {
        provider: 'local',
        options: {
          _render: (text, env, md) => md.render(searchable(text, env.relativePath), env),
          miniSearch: {
            searchOptions: {
              // Readers look for a guide first. VitePress sends this function to the browser as text.
              boostDocument: (path: string) => {
                const [, folder = ''] = path.split('/');
                if (/^(guides|start|concepts)/.test(folder)) return 2;
                return /^(decisions|changelog|contributing|layout)/.test(folder) ? 0.25 : 1;
              },
            },
          },
        },
      },
      socialLinks: [{ icon: 'github', link: REPOSITORY }],
      // VitePress sends this function to the browser as text, so it uses nothing from here.
      editLink: {
        pattern: ({ frontmatter }) => String(frontmatter.editUrl),
        text: 'Edit this page on GitHub',
      },
      externalLinkIcon: true,
    },
  }),
);

/** Of the API reference only the names, because it would hide the guides. Of other pages everything, without colours and comments. */
function searchable(text: string, page: string): string {
  return page.startsWith('reference/api/')
    ? (text.match(/^#{1,3} .*$/gm) ?? []).join('\n\n')
    : text.replaceAll(/<!--.*?-->/gs, '').replaceAll(/^( *```)\w+$/gm, '$1');
}
