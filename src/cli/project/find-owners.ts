/** Reads who owns manifests: the prefixes of tags from the configuration, and the list of owners of the forge from the checkout. */

import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { OWNER_FILES, parseOwners, DEFAULT_OWNER_PREFIXES, type OwnerRules } from '../../core/manifest/code-owners.ts';
import { checkoutAround } from '../session/files.ts';

/** `judge`: the configuration whose prefixes count, if it is not that of the checkout. */
export async function findOwners(config: Config, judge: Pick<Config, 'ownerTags'> = config): Promise<OwnerRules> {
  const top = checkoutAround(config.root) ?? config.root;
  const found = await readOwners(top);
  const ofFile = found ?? nobody;
  // A file declares many flags.
  const known = new Map<string, readonly string[]>();
  const ownersOf = (file: string): readonly string[] => {
    const owners =
      known.get(file) ?? ofFile(path.relative(top, path.resolve(config.root, file)).split(path.sep).join('/'));
    known.set(file, owners);
    return owners;
  };
  return {
    prefixes: judge.ownerTags ?? DEFAULT_OWNER_PREFIXES,
    ownersOf,
    ...(found === undefined && { isUnread: true }),
  };
}

/**
 * Returns the owners of a file that is named from the top of the repository; `undefined` if the list cannot be used. It also hides the lists
 * after it, so that nobody is named as an owner by mistake.
 */
export async function readOwners(top: string): Promise<((file: string) => readonly string[]) | undefined> {
  for (const name of OWNER_FILES) {
    const file = path.join(top, name);
    try {
      const facts = await lstat(file);
      // A link may lead out of the repository, and GitHub too reads no larger list.
      return facts.isFile() && facts.size <= MOST_BYTES ? parseOwners(await readFile(file, 'utf8')) : undefined;
    } catch (error) {
      if (!isMissing(error)) return undefined;
    }
  }
  return nobody;
}

const MOST_BYTES = 3_000_000;

const nobody = (): readonly string[] => [];
