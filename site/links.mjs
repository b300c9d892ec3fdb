// Turns the links of a page of the repository into links of the site.

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PAGES, addressOf } from './pages.mjs';

/** `source`: the address of the repository's files at this version. Links in blocks of code stay. */
export function withLinksOfSite(text, { file, root, source, base }) {
  const target = (link) => {
    const [name, anchor] = link.split('#');
    const path = posix.join(posix.dirname(file), name).replace(/\/$/, '');
    const page = [path, `${path}/README.md`].find((candidate) => PAGES.includes(candidate));
    if (page !== undefined) return addressOf(page) + (anchor === undefined ? '' : `#${anchor}`);
    // A file of the site that is no page: without its origin, VitePress takes it for one.
    if (/^schemas\/[a-z]+\.schema\.json$/.test(path)) return `${base}${path}`;
    if (!existsSync(join(root, path))) throw new Error(`${file}: the link to ${link} leads nowhere.`);
    return /\.(?:png|svg)$/.test(path) ? `/${path}` : `${source}/${path}`;
  };
  return text
    .split(/(^ *```[^]*?^ *```)/m)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, link) => `](${target(link)})`),
    )
    .join('');
}

/** What no link of the built pages finds: a page, a file or the heading. `pages`: HTML by address. */
export function deadLinks(pages, base, isFile) {
  const places = new Map([...pages].map(([address, html]) => [address, new Set(idsOf(html))]));
  return [...pages].flatMap(([from, html]) =>
    [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)]
      .map(([, href]) => href.replaceAll('&amp;', '&'))
      .filter((href) => href.startsWith('/') || href.startsWith('#'))
      .filter((href) => {
        const [path, anchor] = href.split('#');
        const address = path === '' ? from : `/${path.slice(base.length)}`;
        const ids = places.get(address.replace(/\.html$/, ''));
        if (ids === undefined) return !isFile(address);
        return anchor !== undefined && anchor !== '' && !ids.has(decodeURIComponent(anchor));
      })
      .map((href) => `${from}: ${href}`),
  );
}

function idsOf(html) {
  return [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
}
