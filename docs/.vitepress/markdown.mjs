// How links and headings of Markdown are read, by the site and by `.ci/site`.

/** Splits a text into prose (even indexes) and code (odd indexes). */
export const CODE = /(^ *```.*?^ *```$|`[^`\n]+`)/gms;
export const LINK = /\]\(([^)\s]+)\)/g;

/** The anchor of a heading on GitHub. The site has the same ones, so that links work in both places. */
export function anchorOf(title) {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
