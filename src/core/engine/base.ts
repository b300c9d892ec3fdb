/**
 * The base: the desired state at the commit that was last applied. It tells what git changed from what users changed in the
 * service.
 */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import type { ResourceId } from './snapshot.ts';
import type { Progress } from '../rollout/rollout.ts';

/** The side that moved away from the base: git (`pending`), the service (`drifted`), or both, to different values (`conflict`). */
export type Divergence = 'pending' | 'drifted' | 'conflict';

/** The base that a plan was compared with, or why there is none. */
export type BaseFacts =
  | {
      readonly kind: 'commit';
      /** The full name of the commit. */
      readonly commit: string;
      /**
       * `ref`: git's record of the last apply. `journal`: the newest applied run. `snapshot`: what the ref or the journal said when
       * the snapshot was taken. `option`: `--base REF`.
       */
      readonly from: 'ref' | 'journal' | 'snapshot' | 'option';
      /** Bases of changes that earlier applies left: the commit at which each was applied last. Absent if there are none. */
      readonly earlier?: readonly EarlierBase[];
      /** How far the rollouts of the commit were applied. Absent if it has none. */
      readonly rollouts?: readonly Progress[];
      /** The ids that were recorded with the commit; absent once its declarations have them. */
      readonly ids?: RecordedIds;
      /** The remote that shares the record and could not be read: the base is what this clone knows, and may be old. */
      readonly unread?: { readonly remote: string; readonly detail: string };
      /** Present if applying would revert what the base has: the checkout is older than the base, or lacks its history. */
      readonly checkout?: 'behind' | 'apart';
    }
  | { readonly kind: 'none'; readonly reason: NoBaseReason };

/** The live resources that the declarations of a commit were applied to: their ids by their names in options, in one project. */
export interface RecordedIds {
  readonly host: string;
  readonly project_id: string;
  readonly ids: Readonly<Record<string, ResourceId>>;
}

/** The base of a resource, or of some fields of it, that is at another commit than the rest. */
export interface EarlierBase {
  /** The name in options. */
  readonly key: string;
  /** API names of fields, `role_access` for the access; absent: the whole resource. */
  readonly fields?: readonly string[];
  /** Absent if no apply ever made it. */
  readonly commit?: string;
}

/** Why a comparison has no base. `report/words/base.ts` has the sentences. */
export type NoBaseReason =
  /** The configuration is in no checkout of git. */
  | { readonly code: 'no_repository' }
  | { readonly code: 'git_missing' }
  /** git refuses to read the repository, for example because another user owns it. `detail`: its own words. */
  | { readonly code: 'git_refused'; readonly detail: string }
  /** `ref`: the one that may hold the record. */
  | { readonly code: 'remote_unreachable'; readonly remote: string; readonly detail: string; readonly ref?: string }
  /** The configuration shares the record through a remote, and the run does not contact it. `ref`: the one to fetch. */
  | { readonly code: 'not_fetched'; readonly remote: string; readonly ref: string }
  /** No apply of the project recorded a commit. */
  | { readonly code: 'not_recorded' }
  | { readonly code: 'journal_unreadable'; readonly detail: string }
  /** A later release wrote the record, in a form that this one does not know. `name`: of the ref. */
  | { readonly code: 'record_unknown'; readonly name: string }
  /** Several places that are gone recorded the project, and no commit contains the others. `names`: of the refs. */
  | { readonly code: 'records_moved'; readonly names: readonly string[] }
  /** The ref points to an object that is not a commit. */
  | { readonly code: 'not_a_commit'; readonly name: string }
  /** The repository lacks the commit, for example a shallow clone. `remote`: where it may be fetched from. */
  | { readonly code: 'commit_missing'; readonly commit: string; readonly shallow: boolean; readonly remote?: string }
  /** Objects of the commit are missing or damaged. */
  | { readonly code: 'commit_damaged'; readonly commit: string }
  /** `message` and `place`: of the first error. */
  | {
      readonly code: 'manifests_invalid';
      readonly commit: string;
      readonly errors: number;
      readonly message: string;
      readonly place?: Place;
    }
  /** A filter of git makes the files on disk from what is stored, as git-crypt does. Filters are programs; none is run. */
  | { readonly code: 'manifests_filtered'; readonly commit: string; readonly file: string; readonly filter: string }
  | { readonly code: 'manifests_in_submodule'; readonly commit: string; readonly folder: string };

/** Why an apply that made everything of its plan live records no commit. `report/words/base.ts` has the sentences. */
export type NotRecordedReason =
  /** `new`: the commit does not have the file. `gone`: only the commit has it. */
  | { readonly code: 'manifest_differs'; readonly file: string; readonly how: 'modified' | 'new' | 'gone' }
  /** The branch has no commit yet. */
  | { readonly code: 'branch_unborn' }
  /** The saved plan covers only a part of what the manifests declare, or no commit has the manifests. */
  | { readonly code: 'plan_without_commit' }
  | { readonly code: 'commit_unknown'; readonly commit: string }
  /** Another commit was applied after the plan was made. */
  | { readonly code: 'newer_applied'; readonly commit: string }
  /** `commit` was applied last, and the one of the plan does not contain it. */
  | { readonly code: 'not_contained'; readonly commit: string }
  /** The same, judged by the history that a shallow clone has. */
  | { readonly code: 'history_missing'; readonly commit: string }
  /** The plan leaves changes, and was not compared with what was applied last. */
  | { readonly code: 'compared_otherwise'; readonly commit: string }
  /** The record of the last applied commit cannot be read, so it is unknown whether the commit contains it. */
  | { readonly code: 'record_unreadable'; readonly name: string }
  | { readonly code: 'remote_unreachable'; readonly remote: string; readonly detail: string }
  | { readonly code: 'git_failed'; readonly detail: string };

/** A resource that the base declared and the manifests no longer name. It is left alone. */
export interface Released {
  /** The name in options: `cohort:ALIAS`. */
  readonly key: string;
  /** The place of the base's declaration, in the files of its commit. */
  readonly place?: Place;
}

/** A declared difference that a plan does not make. */
export interface Unrecorded {
  /** The name in options. */
  readonly key: string;
  /** The base's name for it, if it differs. */
  readonly former?: string;
  /** Absent: all of it. */
  readonly fields?: readonly string[];
}

/** Finds the commit at which each of these differences was applied last. Sorted; a whole resource comes before its fields. */
export function findEarlier(unrecorded: readonly Unrecorded[], base: BaseFacts | undefined): EarlierBase[] {
  const byKey = new Map<string, Unrecorded[]>();
  for (const one of unrecorded) byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
  return [...byKey]
    .toSorted(comparing(([key]) => key))
    .flatMap(([key, ofKey]) => findEarlierOf(key, ofKey, base?.kind === 'commit' ? base : NO_COMMIT));
}

const NO_COMMIT = { commit: undefined, earlier: [] } as const;

/** A field that an earlier base names has its own commit, and the others have that of the whole resource. */
function findEarlierOf(
  key: string,
  unrecorded: readonly Unrecorded[],
  base: { readonly commit: string | undefined; readonly earlier?: readonly EarlierBase[] },
): EarlierBase[] {
  const former = unrecorded.find((one) => one.former !== undefined)?.former ?? key;
  const known = (base.earlier ?? []).filter((one) => one.key === former);
  const whole = known.find(({ fields }) => fields === undefined) ?? base;
  const parts = known.filter(({ fields }) => fields !== undefined).map((one) => ({ ...one, key }));
  if (unrecorded.some(({ fields }) => fields === undefined)) {
    return [{ key, ...defined({ commit: whole.commit }) }, ...parts];
  }
  const fields = [...new Set(unrecorded.flatMap((one) => one.fields ?? []))].toSorted();
  const withCommits = fields.map((field) => {
    const { commit } = parts.find((one) => one.fields?.includes(field)) ?? whole;
    return { field, commit };
  });
  return groupByCommit(key, withCommits);
}

function groupByCommit(
  key: string,
  fields: readonly { readonly field: string; readonly commit: string | undefined }[],
): EarlierBase[] {
  const commits = [...new Set(fields.map(({ commit }) => commit))];
  return commits.map((commit) => ({
    key,
    fields: fields.filter((one) => one.commit === commit).map(({ field }) => field),
    ...defined({ commit }),
  }));
}
