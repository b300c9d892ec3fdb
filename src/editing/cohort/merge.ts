/** Compares the cohorts of a further project with the declared ones. */

import { memberOf } from '../../base/json.ts';
import { fieldsIn } from '../../engine/field-kind.ts';
import { EXPORTED_COHORTS } from '../../posthog/cohort/export.ts';
import { changeCohort } from '../../posthog/cohort/find-changes.ts';
import { aliasesOf, createFinder, matchAllCohorts } from '../../posthog/cohort/match.ts';
import {
  snapshotCohorts,
  type Cohort,
  type CohortSnapshot,
  type LiveCohort,
  type DesiredCohort,
} from '../../posthog/cohort/cohort.ts';
import type { UndeclaredReason } from '../../posthog/exported.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { FieldEdit } from '../edit.ts';
import type { MergeComparison, MergeFacet } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { extendEdits } from '../membership.ts';
import type { LeftFlag, NotMerged } from '../results.ts';
import { editTexts, readTexts } from '../texts.ts';

export const COHORT_MERGE: MergeFacet = {
  kind: EDITED.cohorts,
  elsewhere,
  idsOf: (flags, live) => new Set(EXPORTED_COHORTS.idsOf(flags, byId(live))),
  compare,
  lacking,
  undeclared,
  notes: ({ live }, flags, left) => {
    const undeclared = { live: byId(live), reasons: reasonsIn(left) };
    return flags.flatMap((flag) => EXPORTED_COHORTS.notes(flag, undeclared));
  },
  reasonOf: ({ code }) => (code === 'cohort-behavioral' ? 'behavioral' : 'reads-differently'),
};

/** Each alias stands for another live cohort. */
function elsewhere(context: EditingContext, ids: ReadonlySet<number> | undefined): readonly string[] {
  const { live, project, read, allProjects, manifests } = context;
  const { desired } = read.resolve(project);
  const aliases = desired.namedElsewhere?.cohorts ?? [];
  if (aliases.length === 0) return [];
  const { texts } = editTexts(manifests, extendEdits(aliases.map(EDITED.cohorts.nameOf), context));
  const cohorts = EDITED.cohorts.desired(readTexts(texts, allProjects).resolve(project).desired);
  const find = createFinder(live.cohorts ?? []);
  const taken = new Set(aliasesOf(matchAllCohorts(desired, live)).values());
  return aliases.filter((alias) => {
    const declared = cohorts.find(({ key, kind }) => key === alias && kind === 'declared');
    const [found, ...others] = declared === undefined ? [] : find(declared);
    if (found === undefined || found.deleted === true || others.length > 0) return false;
    if (taken.has(found.id) || ids?.has(found.id) === false) return false;
    taken.add(found.id);
    return true;
  });
}

function compare(
  { read, project, live }: EditingContext,
  isOpen: (name: string, id: number) => boolean,
): MergeComparison {
  const matches = matchAllCohorts(read.resolve(project).desired, live);
  const aliases = aliasesOf(matches);
  const snapshot = snapshotCohorts(live.cohorts ?? [], aliases);
  const decided = matches.pairs.flatMap(({ desired, live: one }) => {
    const isMerged = one !== undefined && one.deleted !== true && isOpen(EDITED.cohorts.nameOf(desired.key), one.id);
    return isMerged ? decide(desired, one, snapshot) : [];
  });
  return {
    found: { cohorts: Object.fromEntries(aliases) },
    edits: decided.flatMap((one) => ('resource' in one ? one : [])),
    left: decided.flatMap((one) => ('reason' in one ? one : [])),
  };
}

/** Returns nothing if a plan would change nothing. */
function decide(
  desired: DesiredCohort,
  live: LiveCohort,
  snapshot: CohortSnapshot,
): readonly (FieldEdit | NotMerged)[] {
  const key = EDITED.cohorts.nameOf(desired.key);
  if (live.cohort.is_static === true) return [{ key, reason: 'static' }];
  if (desired.kind === 'retired') return [{ key, reason: 'declared-deleted' }];
  const [change] = changeCohort({ desired, live }, snapshot).changes;
  if (change === undefined) return [];
  const names = fieldsIn(change.fields);
  const [, ...former] = desired.names;
  if (names.includes('name') && former.includes(live.cohort.name?.trim() ?? '')) return [{ key, reason: 'renamed' }];
  const fields = Object.fromEntries(names.map((name) => [name, memberOf(live.cohort, name) ?? null]));
  return [{ resource: 'cohort', key, fields }];
}

function lacking({ read, project, live }: EditingContext): readonly string[] {
  return matchAllCohorts(read.resolve(project).desired, live).pairs.flatMap(({ desired, live: one }) => {
    const isHere = one !== undefined && one.deleted !== true;
    return desired.kind === 'retired' || isHere ? [] : EDITED.cohorts.nameOf(desired.key);
  });
}

/** The ids of cohorts whose configured name no manifest declares. */
function undeclared({ read, project, live }: EditingContext, flags: readonly Flag[]): ReadonlySet<string> {
  const { cohort: aliasOf } = lookupNames([], project);
  const used = EXPORTED_COHORTS.idsOf(flags, byId(live));
  const isOpen = (alias: string | undefined): boolean =>
    alias !== undefined && !read.declarations.has(EDITED.cohorts.nameOf(alias));
  return new Set(used.filter((id) => isOpen(aliasOf(id))).map(String));
}

function byId({ cohorts = [] }: LiveState): ReadonlyMap<number, Cohort> {
  return new Map(cohorts.map((cohort) => [cohort.id, cohort]));
}

function reasonsIn(left: readonly LeftFlag[]): ReadonlyMap<number, UndeclaredReason> {
  return new Map(
    left.map(({ key, reason }) => [
      Number(readName(key).key),
      reason.code === 'cohort-undeclarable' ? reason.reason : 'reads-differently',
    ]),
  );
}
