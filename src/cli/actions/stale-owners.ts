/** Reads who owns the files of the repository. */

import { lstat, readFile } from 'node:fs/promises';

import path from 'node:path';
import { isMissing } from '../../base/errors.ts';
import { OWNER_FILES, parseOwners } from '../../references/code-owners.ts';

/** @returns The owners of a file, named from the top; of none if there is no such list, or the first one cannot be used. */
export async function readOwners(top: string): Promise<(file: string) => readonly string[]> {
  for (const name of OWNER_FILES) {
    const text = await readList(path.join(top, name));
    if (text !== undefined) return parseOwners(text);
  }
  return () => [];
}

/** A link may lead out of the repository, and GitHub too reads no larger list. */
async function readList(file: string): Promise<string | undefined> {
  try {
    const facts = await lstat(file);
    return facts.isFile() && facts.size <= MOST_BYTES ? await readFile(file, 'utf8') : NOBODY;
  } catch (error) {
    return isMissing(error) ? undefined : NOBODY;
  }
}

/** A list that cannot be used also hides the lists after it, so that nobody is named as an owner by mistake. */
const NOBODY = '';

const MOST_BYTES = 3_000_000;
