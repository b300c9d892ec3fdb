// Tells whether dist/ is what a build of these sources would make, by one digest of both.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What a build reads, with the validators that it generates in src/. */
const SOURCES = [
  'src',
  'service/src',
  'schemas',
  'scripts',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

const stampOf = (root) => join(root, 'node_modules/.cache/flagwright/build');

/** Whether nothing changed since the last build, neither the sources nor what it made. */
export function isBuilt(root) {
  try {
    return readFileSync(stampOf(root), 'utf8') === digestOf(root);
  } catch {
    return false;
  }
}

/** To be called before a build: one that is interrupted leaves no stamp. */
export function forgetBuild(root) {
  rmSync(stampOf(root), { force: true });
}

export function rememberBuild(root) {
  mkdirSync(dirname(stampOf(root)), { recursive: true });
  writeFileSync(stampOf(root), digestOf(root));
}

function digestOf(root) {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...SOURCES, 'dist']
    .flatMap((name) => filesIn(join(root, name)))
    .toSorted((a, b) => (a < b ? -1 : 1))) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The file itself, or all files below a folder. @throws where there is neither. */
function filesIn(path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
  return entries.flatMap((entry) => filesIn(join(path, entry.name)));
}
