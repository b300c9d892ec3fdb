/** Finds the configuration, policies and safety settings that judge a run: those of the base, if any, so that no change judges itself. */

import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { FileTree } from '../../base/file-tree.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { Config } from '../../config/config.ts';
import type { BaseFacts, NoBaseReason } from '../../core/engine/base.ts';
import { type SafetySettings, stricterOf, type SafetySource } from '../../core/engine/safety.ts';
import type { SealOptions } from '../../core/engine/seal-plan.ts';
import { GitError } from '../../loop/git/objects.ts';
import { mayHaveRefs } from '../../loop/git/refs.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { PlanSections } from '../../report/report.ts';
import type { PolicySource } from '../../review/policy/finding.ts';
import type { PolicySet } from '../../review/policy/built-in.ts';
import { unreadableBaseRemedy, unreadableBaseText, unreadableConfigText } from '../../report/words/base.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import { findLastApplied } from './find-base.ts';
import { findFormerConfig, nameIn, readIfThere } from './former-config.ts';
import { type BaseSearch, whyNotOpen } from './open-checkout.ts';

export type Judge =
  | {
      readonly from: 'base';
      readonly commit: string;
      readonly config: Config;
      /** The name of the project in it. */
      readonly project: string;
      /** Absolute folder of the file at the base. */
      readonly folder: string;
      readonly tree: FileTree;
    }
  /** No commit was applied yet, or the applied one has no configuration of the project. */
  | { readonly from: 'checkout'; readonly why: 'no_base' | 'no_file' };

/** What optional rooms need to know of a plan in order to inspect it. */
export interface PlanSearch {
  readonly plan: Pick<Plan, 'changes'>;
  /** Its configuration says where code is, so that a change cannot hide the code that it breaks. The code is that of the checkout. */
  readonly judge: Judge;
  /** The configuration of the checkout. */
  readonly config: Config;
  /** Files of the run that name flags, relative to the working directory. */
  readonly files?: readonly string[];
}

export interface FoundInPlan {
  /** What the report says of it. */
  readonly sections: PlanSections;
  /** What safety rules judge; absent if there is nothing. */
  readonly facts?: Required<Pick<SealOptions, 'readers'>>;
}

/**
 * `base`: absent if the run asks for none; the commit applied last judges it all the same. Call this while the checkout is open.
 * @throws {FlagwrightError} `base_unreadable` if a commit was applied, or may have been, and cannot be read.
 */
export async function findJudge(
  session: Session,
  search: Omit<BaseSearch, 'known'>,
  base: BaseFacts | undefined,
): Promise<Judge> {
  const facts = base ?? (await findLastApplied(session, search));
  const known = facts.kind === 'commit' || !UNREADABLE.has(facts.reason.code) ? facts : facts.reason;
  const commit = 'commit' in known ? known.commit : undefined;
  if (commit === undefined) {
    if (facts.kind === 'none') await refuseUnproved(facts.reason, search.loaded);
    return { from: 'checkout', why: 'no_base' };
  }
  try {
    return await findAt(commit, session, search);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    session.interrupts.checkpoint();
    throw unreadable({ code: 'git_refused', detail: error.message });
  }
}

async function findAt(
  commit: string,
  session: Session,
  { loaded: { config, project }, checkout }: Omit<BaseSearch, 'known'>,
): Promise<Judge> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') throw unreadable(whyNotOpen(opened));
  const { repository } = opened;
  if ((await checkout.objectsOf(repository).read(`${commit}^{commit}`)) === undefined) {
    throw unreadable({ code: 'commit_missing', commit, shallow: repository.shallow });
  }
  // A change that deletes the file must not get rid of its rules.
  const path = resolve(session.context.cwd, config.file ?? join(config.root, 'flagwright.yaml'));
  const tree = checkout.treeOf(repository, commit);
  const stored = config.file === undefined ? undefined : await readIfThere(tree, path);
  if (stored !== undefined && Buffer.from(stored).equals(await readFile(path))) {
    return { from: 'base', commit, config, project: project.name, folder: dirname(path), tree };
  }
  const former = await findFormerConfig(session, { tree, top: repository.top }, { path, project });
  if (former === undefined) return { from: 'checkout', why: 'no_file' };
  if (former.config === undefined) {
    // The rules of the base are unknown, and the rules of the change must not replace them.
    const text = unreadableConfigText(commit, relative(repository.top, former.path));
    throw new FlagwrightError('base_unreadable', text, {
      remedy: `Name a commit whose configuration this release can read: --base COMMIT. flagwright validate names the errors in the configuration of a checkout.`,
    });
  }
  const name = nameIn(former.config, project);
  return { from: 'base', commit, config: former.config, project: name, folder: dirname(former.path), tree };
}

/**
 * The repository has the commit, but its manifests cannot be read. A change that makes the manifests of the base unreadable must not get rid of
 * its rules.
 */
const UNREADABLE: ReadonlySet<NoBaseReason['code']> = new Set([
  'manifests_invalid',
  'manifests_filtered',
  'manifests_in_submodule',
]);

/** The checkout may judge itself only if nothing was applied yet, which must be proved. */
export async function refuseUnproved(reason: NoBaseReason, { config, project }: LoadedProject): Promise<void> {
  if (reason.code === 'not_recorded') return;
  const isShared = project.service === 'remote' && config.base.push !== undefined;
  const isClosed = reason.code === 'git_missing' || reason.code === 'git_refused';
  const mayBeThere = isClosed && (await mayHaveRefs(config.root, 'refs/flagwright/applied/'));
  if ((reason.code === 'no_repository' || isClosed) && !isShared && !mayBeThere) return;
  throw unreadable(reason);
}

function unreadable(reason: NoBaseReason): FlagwrightError {
  return new FlagwrightError('base_unreadable', unreadableBaseText(reason), { remedy: unreadableBaseRemedy(reason) });
}

export interface FoundPolicies {
  readonly set: PolicySet;
  readonly source: PolicySource;
  /** The name of the project in their configuration. */
  readonly project: string;
}

/** Who may approve and grant; absent: anybody whom the run names. `config`: of the checkout. */
export function approversOf(judge: Judge | undefined, config: Config): readonly string[] | undefined {
  return (judge?.from === 'base' ? judge.config : config).policies?.approvers;
}

/** `undefined` if neither the base nor the checkout has any. */
export function findPolicies(
  judge: Judge,
  { config: { policies: own }, project }: LoadedProject,
): FoundPolicies | undefined {
  if (judge.from === 'checkout') return own && { set: own, source: judge, project: project.name };
  const { commit, config } = judge;
  if (own === undefined && config.policies === undefined) return undefined;
  const set = config.policies ?? NONE;
  const differs = own !== set && !isSame(set, own ?? NONE);
  return { set, source: { from: 'base', commit, differs }, project: judge.project };
}

const NONE: PolicySet = { rules: [] };

/** Whether two sets have the same policies, wherever these are written. */
function isSame(one: PolicySet, other: PolicySet): boolean {
  const texts = [one, other].map(({ rules, ...rest }) => ({
    ...rest,
    rules: rules.map((rule) => ({ ...rule, source: null, whenSource: null })),
  }));
  return jsonEquals(texts[0] as unknown as JsonValue, texts[1] as unknown as JsonValue);
}

/**
 * The limits and protected flags that apply to a plan: those of the base, unless the checkout is stricter.
 *
 * `config`: of the checkout. `judge`: absent for runs that are not judged. `safety`: absent without a base.
 */
export function findSafety(
  judge: Judge | undefined,
  config: Config,
): SafetySettings & { readonly safety?: SafetySource } {
  const { limits, protected: patterns, origins } = config;
  const own = { limits, protected: patterns, origins };
  if (judge === undefined) return own;
  if (judge.from === 'base') {
    const { commit } = judge;
    const { looser, ...settings } = stricterOf(judge.config, own, commit);
    return { ...settings, safety: { from: 'base', commit, looser } };
  }
  const { why } = judge;
  return why === 'no_base' ? own : { ...own, safety: { from: 'checkout', why } };
}
