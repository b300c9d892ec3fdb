/** Finds the files that a search reads: those on disk, those of a commit, or those of a folder without git. */

import { FlagwrightError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { resolveName } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { quoteShort } from '../../report/escape.ts';
import type { Checkout } from '../applied/open-checkout.ts';
import type { Session } from '../session/session.ts';
import { codeOfCommit, codeOfFolder, codeOnDisk, type CodeFiles } from './code-files.ts';

export interface CodePlace {
  readonly session: Session;
  readonly config: Config;
  readonly checkout: Checkout;
}

export interface FoundCodeFiles {
  /** Absolute folder that names of files are relative to. */
  readonly top: string;
  readonly files: CodeFiles;
  readonly commit?: string;
  /** Absent for a folder without git. */
  readonly repository?: Repository;
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
export async function findFiles(place: CodePlace, name: string | undefined): Promise<FoundCodeFiles> {
  try {
    return await listFiles(place, name);
  } catch (error) {
    // git that was stopped gives no reason.
    place.session.interrupts.checkpoint();
    throw error;
  }
}

async function listFiles({ config, checkout }: CodePlace, name: string | undefined): Promise<FoundCodeFiles> {
  const opened = await checkout.opened;
  if (opened.kind === 'open') {
    const { repository } = opened;
    const objects = () => checkout.objectsOf(repository);
    if (name === undefined) return { top: repository.top, files: await codeOnDisk(repository, objects), repository };
    const commit = await findCommit(repository, name);
    return { top: repository.top, files: await codeOfCommit(repository, commit, objects()), commit, repository };
  }
  if (opened.kind === 'none' && name === undefined) return { top: config.root, files: codeOfFolder(config.root) };
  const why = opened.kind === 'refused' ? opened.detail : NO_GIT[opened.kind];
  throw new FlagwrightError('file', `The code cannot be read with git: ${why}.`, {
    remedy:
      opened.kind === 'none' ? 'Omit --commit to search the files on disk.' : 'Make `git status` work in this folder.',
  });
}

const NO_GIT = { none: 'this is not a git repository', git_missing: 'git is not installed' } as const;

async function findCommit(repository: Repository, name: string): Promise<string> {
  const id = await resolveName(repository, `${name}^{commit}`);
  if (id !== undefined) return id;
  throw new FlagwrightError('usage', `--commit ${quoteShort(name)} names no commit of this repository.`, {
    remedy: repository.shallow
      ? 'This clone has only a part of the history. `git fetch --unshallow` gets the rest.'
      : 'Name a commit, a branch or a tag.',
  });
}
