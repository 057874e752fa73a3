import { escapeHtml } from 'kit-auth/feature';

/** Values in the page. */
export interface PageParts {
  title: string;
  home: string;
  languages: readonly string[];
  /** The hash in the URLs of the assets. */
  hash: string;
  modules: readonly string[];
  hasPasskeys: boolean;
  /** The way from `<base>` to the folder of `v1/api/auth/`. */
  api: string;
}

const NOSCRIPT =
  '<p lang="en">This page needs JavaScript.</p><p lang="de">Diese Seite benötigt JavaScript.</p>';

/**
 * Makes the page. All URLs are relative to `<base>`, which is relative to the request, so the page works behind a proxy that
 * takes off the beginning of paths.
 *
 * @returns the page for a base
 */
export function pageOf(parts: PageParts): (base: string) => string {
  const { title, home, languages, hash, modules, hasPasskeys, api } = parts;
  const assets = `assets/${hash}`;
  const preloads = modules.map((name) => `<link rel=modulepreload href=${assets}/${name}>`);
  const rest = [
    `<meta name="api" content="${api}">`,
    `<meta name="home" content="${escapeHtml(home)}">`,
    `<meta name="languages" content="${languages.join(' ')}">`,
    ...(hasPasskeys ? ['<meta name="passkeys" content="passkeys-client.js">'] : []),
    `<link rel="icon" href="data:,">`,
    `<link rel="stylesheet" href="${assets}/page.css">`,
    ...preloads,
    `<script type="module" src="${assets}/page.js"></script>`,
    `</head>\n<body>\n<div id="app"></div>\n<noscript>${NOSCRIPT}</noscript>\n</body>\n</html>\n`,
  ].join('\n');
  const head = [
    '<!doctype html>',
    `<html lang="${languages[0]}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="robots" content="noindex">',
    `<title>${escapeHtml(title)}</title>`,
  ].join('\n');
  return (base) => `${head}\n<base href="${base}">\n${rest}`;
}
