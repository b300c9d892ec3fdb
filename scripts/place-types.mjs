// Puts the types that users of the library need into one folder, and points the imports between them there.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';

/** `entries`: files in `from`, which has the folders that `places` names; each value is where in `to` its files belong. */
export function placeTypes(from, to, { entries, places }) {
  const place = (file) => {
    const folder = Object.keys(places).find((name) => file.startsWith(`${name}/`));
    if (folder === undefined) throw new Error(`${file} is in no folder that is published.`);
    return join(places[folder], relative(folder, file));
  };
  const files = new Set(entries);
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

/** Copies a file of types, and those that it imports, as types of CommonJS. */
export function copyTypesAsCommonJs(file, copied = new Set()) {
  if (copied.has(file)) return;
  copied.add(file);
  const text = readFileSync(file, 'utf8');
  const pointed = text.replaceAll(IMPORTS, (_, quote, name) => {
    copyTypesAsCommonJs(join(dirname(file), name.replace(/\.(js|ts)$/, '.d.ts')), copied);
    return `${quote}${name.replace(/\.(js|ts)$/, '.cjs')}${quote}`;
  });
  writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), pointed);
}
