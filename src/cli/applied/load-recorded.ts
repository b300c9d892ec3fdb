/** Loads the commit that was applied last, for a run that only continues its rollouts: as its own configuration says, or not at all. */

import { docsPage } from '../../base/wording.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import type { BaseFacts } from '../../core/engine/base.ts';
import { escapeLine } from '../../report/escape.ts';
import { noBaseText, shortCommit, unreadText } from '../../report/words/base.ts';
import type { Session } from '../session/session.ts';
import { commitsIn, idOf, isContained } from './applied-record.ts';
import { findLastApplied, readRecorded } from './find-base.ts';
import { findJudge } from './find-judge.ts';
import { compareProjects } from './former-config.ts';
import { type BaseCommit, type BaseSearch, whyNotOpen } from './open-checkout.ts';

/** @throws {FlagwrightError} `base_unreadable` if it is not known for sure, or was applied to another project. */
export async function loadRecorded(session: Session, search: BaseSearch): Promise<BaseCommit> {
  const facts = await findLastApplied(session, search);
  if (facts.kind !== 'commit') throw unknown(facts);
  // Another clone may have applied other steps since.
  const old = unreadText(facts);
  if (old !== undefined) throw unreadable(old, 'Give git the credentials of the remote.');
  await refuseApart(search, facts);
  const { config, project } = search.loaded;
  // A configuration that was not applied yet must not choose other manifests.
  const judge = await findJudge(session, search, facts);
  const then = judge.from === 'base' ? memberOf(judge.config.projects, judge.project) : undefined;
  if (then !== undefined && compareProjects(then, project) !== 'same') {
    const words = `What was applied last to ${escapeLine(project.name)} was applied to another host or project_id than the configuration has now`;
    throw unreadable(words, APPLY);
  }
  const loaded =
    judge.from === 'base'
      ? { config: { ...config, root: judge.folder, manifests: judge.config.manifests }, project }
      : search.loaded;
  const base = await readRecorded(session, { ...search, loaded }, facts);
  if ('desired' in base) return base;
  throw unknown(base.facts);
}

/**
 * Everybody who can push refs can point the record to a commit that nobody merged. People review the branch that is checked out, so only
 * commits that it contains count.
 */
async function refuseApart(
  { loaded: { config, project }, checkout }: BaseSearch,
  facts: BaseCommit['facts'],
): Promise<void> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') throw unknown({ kind: 'none', reason: whyNotOpen(opened) });
  const within = { checkout, repository: opened.repository };
  const remote = project.service === 'remote' ? config.base.push : undefined;
  const head = await idOf('HEAD', within);
  const { commit, earlier = [] } = facts;
  for (const id of commitsIn({ commit, earlier })) {
    const found = head === undefined ? 'no' : await isContained({ earlier: id, later: head, remote }, within);
    if (found === 'yes') continue;
    const recorded = `Commit ${shortCommit(id)}, which is recorded as applied to ${escapeLine(project.name)},`;
    const [why, remedy] =
      found === 'unknown'
        ? ['may not be in the history of what is checked out: this shallow clone has too little of it', MORE_HISTORY]
        : ['is not in the history of what is checked out', OTHER_HISTORY];
    const words = `${recorded} ${why}. No step is made: only a commit that was merged is known to be reviewed.`;
    throw new FlagwrightError('refused', words, { remedy });
  }
}

const APPLY = 'Apply committed manifests once with `flagwright apply`.';

const MORE_HISTORY = 'Get it with `git fetch --unshallow`; in GitHub Actions with `fetch-depth: 0` of the checkout.';
const OTHER_HISTORY = `Check out the branch that is applied, as it is now. If its history was rewritten, \`flagwright apply --move-base\` records its commit; if not, find out who moved the record (${docsPage('base')}).`;

function unknown({ reason }: Extract<BaseFacts, { readonly kind: 'none' }>): FlagwrightError {
  const why = reason.code === 'not_recorded' ? '' : ` (${noBaseText(reason)})`;
  return unreadable(`The last apply is unknown${why}`, APPLY);
}

function unreadable(words: string, remedy: string): FlagwrightError {
  const text = `${words}. Only the rollouts that were applied may be continued.`;
  return new FlagwrightError('base_unreadable', text, { remedy });
}
