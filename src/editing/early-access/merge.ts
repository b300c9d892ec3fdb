/** Compares the early access features of a further project with the declared ones. */

import { fieldsIn, pickFields } from '../../engine/field-kind.ts';
import {
  canonicalFeature,
  type DesiredFeature,
  ARCHIVED,
  findByFlag,
  type LiveFeature,
} from '../../posthog/early-access/feature.ts';
import { changeFeature } from '../../posthog/early-access/find-changes.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { FieldEdit } from '../edit.ts';
import type { MergeComparison, MergeFacet } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { extendEdits } from '../membership.ts';
import type { NotMerged } from '../results.ts';
import { editTexts, readTexts } from '../texts.ts';

const FEATURES = EDITED.early_access;

export const FEATURE_MERGE: MergeFacet = {
  kind: FEATURES,
  elsewhere,
  // Features have the ids of their flags.
  idsOf: (flags) => new Set(flags.map(({ id }) => id)),
  compare,
  lacking: ({ read, project, live }) =>
    FEATURES.desired(read.resolve(project).desired).flatMap((one) =>
      one.kind === 'retired' || liveOf(one, live) !== undefined ? [] : FEATURES.nameOf(one.key),
    ),
  undeclared,
  notes: ({ live }, _flags, left) =>
    left.flatMap(({ key }) => {
      const flag = readName(key).key;
      const feature = findByFlag(flag, live);
      return feature === undefined ? [] : [{ kind: 'early-access-undeclared', key: flag, name: feature.name }];
    }),
  reasonOf: () => 'reads-differently',
};

/** An archived feature offers nothing, so the project counts as without it, unless manifests declare it as archived. */
function liveOf(declared: DesiredFeature, live: LiveState): LiveFeature | undefined {
  const feature = findByFlag(declared.flag, live);
  const isMeant = declared.kind === 'declared' && declared.fields['stage'] === ARCHIVED;
  return feature?.stage === ARCHIVED && !isMeant ? undefined : feature;
}

/** Aliases declared only elsewhere whose flag has a live feature here. */
function elsewhere(context: EditingContext, flagIds: ReadonlySet<number> | undefined): readonly string[] {
  const { live, project, read, allProjects, manifests } = context;
  const { desired } = read.resolve(project);
  const aliases = desired.namedElsewhere?.early_access ?? [];
  if (aliases.length === 0) return [];
  const { texts } = editTexts(manifests, extendEdits(aliases.map(FEATURES.nameOf), context));
  const extended = FEATURES.desired(readTexts(texts, allProjects).resolve(project).desired);
  const taken = new Set(FEATURES.desired(desired).map(({ flag }) => flag));
  return aliases.filter((alias) => {
    const declared = extended.find(({ key, kind }) => key === alias && kind === 'declared');
    const found = declared && liveOf(declared, live);
    if (declared === undefined || found === undefined || flagIds?.has(found.id) === false) return false;
    if (taken.has(declared.flag)) return false;
    taken.add(declared.flag);
    return true;
  });
}

function compare(
  { read, project, live }: EditingContext,
  isOpen: (name: string, flagId: number) => boolean,
): MergeComparison {
  const decided = FEATURES.desired(read.resolve(project).desired).flatMap((desired) => {
    const feature = liveOf(desired, live);
    const isMerged = feature !== undefined && isOpen(FEATURES.nameOf(desired.key), feature.id);
    return isMerged ? decide(desired, feature) : [];
  });
  return {
    // Features have no names in the configuration.
    found: {},
    edits: decided.flatMap((one) => ('resource' in one ? one : [])),
    left: decided.flatMap((one) => ('reason' in one ? one : [])),
  };
}

/** Returns nothing if a plan would change nothing. */
function decide(desired: DesiredFeature, feature: LiveFeature): readonly (FieldEdit | NotMerged)[] {
  const key = FEATURES.nameOf(desired.key);
  if (desired.kind === 'retired') return [{ key, reason: 'declared-deleted' }];
  const live = { id: feature.id, key: desired.key, feature };
  const [change] = changeFeature({ desired, live }).changes;
  if (change === undefined) return [];
  return [{ resource: 'early_access', key, fields: pickFields(canonicalFeature(feature), fieldsIn(change.fields)) }];
}

/** Ids of live features that no manifest offers, of flags that are declared for the project. */
function undeclared({ read, project, projects, live }: EditingContext, flags: readonly Flag[]): ReadonlySet<string> {
  const declared = new Set(EDITED.flags.desired(read.resolve(project).desired).map(({ key }) => key));
  const offered = projects.flatMap((one) => FEATURES.desired(read.resolve(one).desired).map(({ flag }) => flag));
  const open = new Set(flags.filter(({ key }) => declared.has(key) && !offered.includes(key)).map(({ id }) => id));
  const found = (live.early_access ?? []).filter(({ id, stage }) => stage !== ARCHIVED && open.has(id));
  return new Set(found.map(({ id }) => String(id)));
}
