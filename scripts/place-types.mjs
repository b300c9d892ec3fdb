// Puts the declarations that the library's types need into one folder, and points the imports between them there.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';

/** `from`: has the folders that `places` names; each value is where in `to` its files belong. */
export function placeTypes(from, to, places) {
  const place = (file) => {
    const folder = Object.keys(places).find((name) => file.startsWith(`${name}/`));
    if (folder === undefined) throw new Error(`${file} is in no folder that is published.`);
    return join(places[folder], relative(folder, file));
  };
  const files = new Set(['src/index.d.ts']);
  for (const file of files) {
    const text = readFileSync(join(from, file), 'utf8');
    const pointed = text.replaceAll(IMPORTS, (_, quote, name) => {
      const imported = join(dirname(file), name);
      files.add(imported.replace(/\.(js|ts)$/, '.d.ts'));
      const path = relative(dirname(place(file)), place(imported));
      return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
    });
    const placed = join(to, place(file));
    mkdirSync(dirname(placed), { recursive: true });
    writeFileSync(placed, pointed);
  }
}

const IMPORTS = /(?<=\b(?:from |import\())(['"])(\.{1,2}\/[^'"]+)\1/g;
