/** Finds the base of a comparison: the manifests at the commit that was last applied to the project. */

import { FlagwrightError } from '../../base/errors.ts';
import type { NoBaseReason } from '../../engine/base.ts';
import { GitError } from '../../git/objects.ts';
import type { OpenedRepository, Repository } from '../../git/repository.ts';
import { quoteShort } from '../../report/escape.ts';
import { noBaseText } from '../../report/words/base.ts';
import type { Session } from '../session/session.ts';
import type { Base, BaseSearch } from './base-types.ts';
import { findBaseCommit, findNamedCommit } from './find-base-commit.ts';
import { loadBase } from './load-base.ts';

/**
 * `undefined` where nobody asked for a base: there is then nothing to say about it.
 * @throws {FlagwrightError} `usage` if `--base` names no commit.
 */
export async function findBase(session: Session, search: BaseSearch): Promise<Base | undefined> {
  const { option } = search;
  if (option === 'none') return undefined;
  const opened = await search.checkout.opened;
  if (opened.kind === 'none' && option === undefined) return undefined;
  const name = option === 'auto' ? undefined : option;
  if (opened.kind === 'open') return findIn(opened.repository, session, { ...search, name });
  const reason = whyNotOpen(opened);
  if (name !== undefined) {
    throw new FlagwrightError('usage', `--base ${quoteShort(name)} cannot be used: ${noBaseText(reason)}.`, {
      remedy: 'Leave out --base, or run the command in a checkout that git can read.',
    });
  }
  return { facts: { kind: 'none', reason } };
}

/** `name`: the commit that the user names. */
async function findIn(
  repository: Repository,
  session: Session,
  search: BaseSearch & { readonly name: string | undefined },
): Promise<Base> {
  const { name, checkout } = search;
  try {
    const facts =
      name === undefined
        ? await findBaseCommit(session, search, repository)
        : await findNamedCommit(name, checkout, repository);
    return facts.kind === 'none' ? { facts } : await loadBase(session, search, { repository, facts });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    session.interrupts.checkpoint();
    return { facts: { kind: 'none', reason: { code: 'git_refused', detail: error.message } } };
  }
}

function whyNotOpen(opened: Exclude<OpenedRepository, { readonly repository: Repository }>): NoBaseReason {
  switch (opened.kind) {
    case 'none':
      return { code: 'no_repository' };
    case 'git_missing':
      return { code: 'git_missing' };
    case 'refused':
      return { code: 'git_refused', detail: opened.detail };
  }
}
