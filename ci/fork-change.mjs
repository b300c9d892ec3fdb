// The manifests that a pull request of a fork changes, as data: which of them a job that may write takes, and why it takes none.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quoteCode } from './quote.mjs';

const MOST_FILES = 100;
const MOST_BYTES = 1_000_000;
const MOST_BYTES_IN_ALL = 5_000_000;
/** What a file of git may be, besides a link or another repository. */
const PLAIN = new Set(['100644', '100755']);
/** Those of the base decide, so they are never taken. */
const CONFIGURATIONS = ['flagwright.yaml', 'flagwright.yml'];

/**
 * The manifests that the merge changes, as `files`, or why it has no plan, as the lines of `refused`. `before` and `after`: what
 * the merge begins with and what it makes. `here`: the checkout, which may be newer. Each lists `{ path, mode, sha, size }`.
 * `granting`: the file of exceptions, which is that of the checkout.
 */
export function changedManifests({ before, after, here, granting }) {
  const [old, made, now] = [before, after, here].map((list) => new Map(list.map((entry) => [entry.path, entry])));
  const names = [...new Set([...old.keys(), ...made.keys()])];
  const changed = names.filter((name) => versionOf(old.get(name)) !== versionOf(made.get(name)));
  const odd = changed.flatMap((name) => oddity(name, [old.get(name), made.get(name), now.get(name)]));
  if (odd.length > 0) return { refused: odd };
  const manifests = changed.filter((name) => isManifest(name, granting));
  const overtaken = manifests.filter(
    (name) => versionOf(old.get(name)) !== versionOf(now.get(name)) || isBelowFile(name, { now, old }),
  );
  if (overtaken.length > 0)
    return { refused: overtaken.map((name) => `${quoteCode(name)} is newer on the branch: update the pull request.`) };
  const files = manifests.map((name) => ({ path: name, sha: made.get(name)?.sha, size: made.get(name)?.size ?? 0 }));
  const large = largeOnes(files);
  return large.length > 0 ? { refused: large } : { files };
}

/** Writes the files into the checkout; `read` returns the bytes of a blob. */
export async function writeFiles(files, read) {
  const contents = [];
  for (const { sha } of files) contents.push(sha === undefined ? undefined : await read(sha));
  // A folder may take the place of a file.
  for (const file of files) rmSync(file.path, { force: true });
  for (const [index, file] of files.entries()) {
    if (contents[index] === undefined) continue;
    mkdirSync(path.dirname(file.path), { recursive: true });
    writeFileSync(file.path, contents[index], { flag: 'wx' });
  }
}

function versionOf(entry) {
  return entry && `${entry.mode} ${entry.sha}`;
}

/** Git keeps names that would lead out of the checkout, or into its own folder. */
function oddity(name, versions) {
  if (!name.split('/').every(isPlainName)) return [`${quoteCode(name)} is not the plain name of a file.`];
  const isPlain = versions.every((entry) => entry === undefined || PLAIN.has(entry.mode));
  return isPlain ? [] : [`${quoteCode(name)} is a link or another repository, and not a file.`];
}

function isPlainName(part) {
  return !['', '.', '..'].includes(part) && !/[\p{Cc}\p{Cf}\\:]/u.test(part) && !/^\.?git(?:~\d+)?$/i.test(part);
}

/** Where the branch has a file or a link by now in place of a folder of the path. */
function isBelowFile(name, { now, old }) {
  const parts = name.split('/');
  const folders = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  return folders.some((folder) => now.has(folder) && !old.has(folder));
}

function isManifest(name, granting) {
  const base = path.posix.basename(name);
  return /\.ya?ml$/.test(name) && !CONFIGURATIONS.includes(base) && path.posix.normalize(granting) !== name;
}

function largeOnes(files) {
  if (files.length > MOST_FILES) return [`More than ${MOST_FILES} manifests change.`];
  const large = files.filter(({ size }) => size > MOST_BYTES);
  if (large.length > 0) return large.map((file) => `${quoteCode(file.path)} has more than ${MOST_BYTES / 1e6} MB.`);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return total > MOST_BYTES_IN_ALL ? [`The manifests have more than ${MOST_BYTES_IN_ALL / 1e6} MB.`] : [];
}
