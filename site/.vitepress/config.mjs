// What VitePress is told: the sidebar from the table of pages, the version, and a search without a service.

import { readFileSync } from 'node:fs';
import { GROUPS, addressOf, anchorOf, titleOf } from '../pages.mjs';

const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const { version, homepage, description, bugs } = JSON.parse(read('package.json'));
const minor = version.split('.').slice(0, 2).join('.');

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 1v14h2v-5h8l-2-4 2-4H5V1z" fill="#3451b2"/></svg>';

export default {
  title: 'flagwright',
  description,
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: true,
  markdown: { anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: bugs.replace(/\/issues$/, '') }],
    nav: [
      { text: 'Manifests', link: '/manifest' },
      { text: 'Commands', link: '/commands' },
      {
        text: `v${version}`,
        items: [
          { text: 'Changelog', link: '/changelog' },
          { text: 'Upgrading', link: '/upgrading' },
          { text: `Only v${minor}`, link: `${homepage}/v${minor}/` },
          { text: 'Newest version', link: `${homepage}/` },
        ],
      },
    ],
    sidebar: GROUPS.map(({ title, pages }) => ({
      text: title,
      items: pages.map((file) => ({ text: titleOf(read(file)), link: addressOf(file) })),
    })),
  },
};
