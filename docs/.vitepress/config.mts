import { defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { siteLinks } from './links.mjs';
import { REPOSITORY, sourceOf } from './pages.mjs';
import { sidebar } from './sidebar.mjs';

export default defineConfig({
  title: 'kit-auth',
  description: 'Token-based authentication and authorization for NestJS',
  lang: 'en',
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
  markdown: {
    // The same anchors as on GitHub, so that links work in both places.
    anchor: {
      slugify: (title) =>
        title
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
    },
  },
  vite: { plugins: [siteLinks(), llmstxt()] },
  transformPageData: ({ filePath, frontmatter }) => {
    frontmatter.editUrl = `${REPOSITORY}/edit/main/${sourceOf(filePath)}`;
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/start', activeMatch: '^/(start|concepts|overview)' },
      { text: 'Guides', link: '/guides/browsers', activeMatch: '^/guides/' },
      { text: 'Reference', link: '/reference/configuration', activeMatch: '^/(reference|packages)/' },
      { text: 'Security', link: '/security' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    // VitePress sends this function to the browser as text, so it uses nothing from here.
    editLink: {
      pattern: ({ frontmatter }) => String(frontmatter.editUrl),
      text: 'Edit this page on GitHub',
    },
    externalLinkIcon: true,
  },
});
