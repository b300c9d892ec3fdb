// Puts what the compiler made of several folders of sources into one folder, and points the imports between them there.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';

/** `from`: has the folders that `places` names; each value is where in `to` its files belong. */
export function placeCompiled(from, to, places) {
  const place = (file) => {
    const folder = Object.keys(places).find((name) => file.startsWith(`${name}/`));
    if (folder === undefined) throw new Error(`${file} is in no folder that is published.`);
    return join(places[folder], relative(folder, file));
  };
  const entries = readdirSync(from, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const file = relative(from, join(entry.parentPath, entry.name));
    const placed = join(to, place(file));
    mkdirSync(dirname(placed), { recursive: true });
    writeFileSync(placed, pointed(readFileSync(join(from, file), 'utf8'), file, place));
  }
}

/** Imports of a file in the same folder are as they were. */
function pointed(text, file, place) {
  return text.replaceAll(/(?<=\b(?:from |import\())(['"])(\.{1,2}\/[^'"]+)\1/g, (_, quote, name) => {
    const path = relative(dirname(place(file)), place(join(dirname(file), name)));
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}
