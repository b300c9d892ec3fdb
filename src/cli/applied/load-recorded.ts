/** Loads the commit that was applied last for a run that only continues its rollouts: as its own configuration reads it, or not at all. */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, memberOf } from '../../base/json.ts';
import type { BaseFacts } from '../../engine/base.ts';
import { escapeLine } from '../../report/escape.ts';
import { noBaseText, unreadText } from '../../report/words/base.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';
import type { BaseCommit, BaseSearch } from './base-types.ts';
import { findRecorded, readRecorded } from './find-base.ts';
import { findJudge } from './find-judge.ts';

/** @throws {FlagwrightError} `base_unreadable` if it is not known for sure, or was applied to another project. */
export async function loadRecorded(session: Session, search: BaseSearch): Promise<BaseCommit> {
  const facts = await findRecorded(session, search);
  if (facts.kind !== 'commit') throw unknown(facts);
  // Another clone may have applied other steps since.
  const old = unreadText(facts);
  if (old !== undefined) throw unreadable(old, 'Give git the credentials of the remote.');
  const loaded = await asRecorded(session, search, facts);
  const base = await readRecorded(session, { ...search, loaded }, facts);
  if ('desired' in base) return base;
  throw unknown(base.facts);
}

/** A configuration that was not applied yet must not choose other manifests. */
async function asRecorded(session: Session, search: BaseSearch, facts: BaseFacts): Promise<LoadedProject> {
  const { config, project } = search.loaded;
  const judge = await findJudge(session, search, facts);
  if (judge.from === 'checkout') return search.loaded;
  const then = memberOf(judge.config.projects, judge.project);
  if (then !== undefined && !isSameService(then, project)) throw another(project);
  return { config: { ...config, root: judge.folder, manifests: judge.config.manifests }, project };
}

function isSameService(one: LoadedProject['project'], other: LoadedProject['project']): boolean {
  const [{ name: _one, ...former }, { name: _other, ...now }] = [identityOf(one), identityOf(other)];
  return jsonEquals(former, now);
}

const APPLY = 'Apply committed manifests once with `flagwright apply`.';

function another({ name }: LoadedProject['project']): FlagwrightError {
  const words = `What was applied last to ${escapeLine(name)} was applied to another host or project_id than the configuration has now`;
  return unreadable(words, APPLY);
}

function unknown({ reason }: Extract<BaseFacts, { readonly kind: 'none' }>): FlagwrightError {
  const why = reason.code === 'not_recorded' ? '' : ` (${noBaseText(reason)})`;
  return unreadable(`What was applied last is not known${why}`, APPLY);
}

function unreadable(words: string, remedy: string): FlagwrightError {
  const text = `${words}. Only the rollouts that were applied may be continued.`;
  return new FlagwrightError('base_unreadable', text, { remedy });
}
