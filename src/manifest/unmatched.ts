/** Finds YAML files with flags near the manifests that match no pattern, which a run would ignore without a word. */

import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import type { DiagnosticOf } from '../base/diagnostic.ts';
import { fromRoot } from './tree-source.ts';
import type { ManifestProblems } from './problems.ts';

/** The limits of the search, so that a large repository costs little. */
const MOST_FOLDERS = 1_000;
const MOST_FILES = 200;
const MOST_BYTES = 1_000_000;

export interface MatchedPatterns {
  /** Absolute folder that the patterns and the names of files are relative to. */
  readonly root: string;
  readonly patterns: readonly string[];
  /** The files that match, with `/` between folders. */
  readonly files: readonly string[];
}

/** Returns a warning for each file, except those that a pattern with `!` leaves out on purpose. */
export async function findUnmatched({
  root,
  patterns,
  files,
}: MatchedPatterns): Promise<DiagnosticOf<Pick<ManifestProblems, 'file-unmatched'>>[]> {
  const negative = patterns.filter(isNegative).map((pattern) => pattern.slice(1));
  const positive = patterns.filter((pattern) => !isNegative(pattern)).map((pattern) => fromRoot(root, pattern));
  const known = new Set([
    ...files,
    ...(negative.length === 0 ? [] : await glob(negative, { cwd: root, expandDirectories: false })),
  ]);
  const neighbours = await findYaml(root, positive, files);
  const unmatched = neighbours.filter((file) => !known.has(file)).slice(0, MOST_FILES);
  const lines = await Promise.all(unmatched.map(async (file) => findFlags(path.join(root, file))));
  return unmatched.flatMap((file, index) => {
    const line = lines[index];
    if (line === undefined) return [];
    const place = { file, line, column: 1 };
    return [{ code: 'file-unmatched', severity: 'warning', place, args: { patterns } }];
  });
}

function isNegative(pattern: string): boolean {
  return pattern.startsWith('!');
}

/** Finds the YAML files in the folders of the manifests, and in all folders below the fixed beginnings of the patterns. */
async function findYaml(root: string, patterns: readonly string[], matched: readonly string[]): Promise<string[]> {
  const pending = new Set(patterns.map(fixedFolder).filter((folder) => folder !== ''));
  const below = new Set(pending);
  for (const file of matched) pending.add(path.posix.dirname(file));
  const found: string[] = [];
  let searched = 0;
  for (const folder of pending) {
    searched += 1;
    if (searched > MOST_FOLDERS) break;
    const listed = await list(path.join(root, folder));
    if (folder !== '.' && below.has(folder) && listed.files.some((name) => /^flagwright\.ya?ml$/.test(name))) continue;
    const inside = (name: string): string => (folder === '.' ? name : `${folder}/${name}`);
    found.push(...listed.files.filter((name) => /\.ya?ml$/i.test(name)).map(inside));
    if (!below.has(folder)) continue;
    for (const name of listed.folders) {
      below.add(inside(name));
      pending.add(inside(name));
    }
  }
  return found.toSorted();
}

/** The folders before the first part with a wildcard; nothing for the whole repository, which is not searched. */
function fixedFolder(pattern: string): string {
  const parts = pattern.split('/');
  const wildcard = parts.findIndex((part) => isDynamicPattern(part));
  return wildcard === -1 ? '' : parts.slice(0, wildcard).join('/');
}

/** Hidden folders and dependencies hold no manifests. Symbolic links are not followed, so there are no circles. */
async function list(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const shown = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  return {
    files: shown.filter((entry) => entry.isFile()).map(({ name }) => name),
    folders: shown
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted(),
  };
}

/** The line of `flags` at the top of a file; `undefined` if it declares none or cannot be read. */
async function findFlags(file: string): Promise<number | undefined> {
  try {
    if ((await stat(file)).size > MOST_BYTES) return undefined;
    const text = await readFile(file, 'utf8');
    const found = /^(?:\uFEFF)?(?:flags|"flags"|'flags')[ \t]*:(?:\s|$)/m.exec(text);
    return found === null ? undefined : text.slice(0, found.index).split('\n').length;
  } catch {
    return undefined;
  }
}
