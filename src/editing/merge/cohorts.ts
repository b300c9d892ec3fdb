/** Merges the cohorts of a further project into manifests: overlays for what differs, `only_in` for cohorts that not every project has. */

import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { changeCohort } from '../../posthog/cohort/changes.ts';
import { fieldsOf } from '../../posthog/cohort/comparison.ts';
import { aliasesOf, matchAllCohorts, type CohortMatches } from '../../posthog/cohort/match.ts';
import { snapshotCohorts, type CohortSnapshot, type LiveCohort } from '../../posthog/cohort/snapshot.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import { sayInManifests } from '../say.ts';
import { readTexts, withEdited, type ManifestText } from '../texts.ts';
import type { CohortWish, RefusalReason, RefusedWish } from '../wish.ts';
import { declareHere, findElsewhere } from './elsewhere.ts';
import type { NotMerged, NotMergedReason } from './not-merged.ts';
import { proveCohorts } from './prove-cohorts.ts';
import { nameResource } from '../../posthog/resource-name.ts';

export interface CohortMergeInput extends EditingInput {
  /** The ids of the cohorts to merge; absent: all. */
  readonly ids?: ReadonlySet<number>;
}

export interface CohortMerge {
  /** All manifests, with the edited ones. */
  readonly texts: readonly ManifestText[];
  /** Their names, `cohort:ALIAS`, as below. */
  readonly overlaid: readonly string[];
  readonly notMerged: readonly NotMerged[];
  /** The ids of the cohorts that manifests declare for the project now, by alias. */
  readonly found: Readonly<Record<string, number>>;
}

/**
 * What a declared cohort is in the project is written as an overlay. One that manifests declare for other projects only, and that the
 * project has, is declared for it too. No other project's desired state changes; a cohort for which that is impossible is left as it is.
 * @throws {FlagwrightError} `manifest_invalid` as matching does.
 */
export function mergeCohorts(input: CohortMergeInput): CohortMerge {
  const former = toEditingContext(input);
  const elsewhere = findElsewhere(former, input.ids);
  const excluded = new Map<string, NotMerged>();
  for (;;) {
    const { failed, ...merged } = tryMerge(former, { elsewhere, excluded, ...defined({ ids: input.ids }) });
    if (failed.length === 0) return { ...merged, notMerged: [...merged.notMerged, ...excluded.values()] };
    for (const one of failed) excluded.set(one.key, one);
  }
}

interface Trying extends Pick<CohortMergeInput, 'ids'> {
  readonly elsewhere: readonly string[];
  /** Cohorts that are left as they are, by name. */
  readonly excluded: ReadonlyMap<string, NotMerged>;
}

type Attempt = CohortMerge & { readonly failed: readonly NotMerged[] };

function tryMerge(former: EditingContext, { elsewhere, excluded, ids }: Trying): Attempt {
  const { live, manifests, project, allProjects, read } = former;
  const joined = elsewhere.filter((alias) => !excluded.has(nameResource('cohort', alias)));
  const extended = declareHere(joined, former);
  const { desired } = (joined.length === 0 ? read : readTexts(extended, allProjects)).resolve(project);
  const matches = matchAllCohorts(desired, live);
  const aliases = aliasesOf(matches);
  const found = Object.fromEntries(aliases);
  const chosen = matches.pairs.filter(
    ({ desired: { key }, live: one }) =>
      !excluded.has(nameResource('cohort', key)) && one !== undefined && ids?.has(one.id) !== false,
  );
  const { wishes, left } = decideAll(chosen, snapshotCohorts(live.cohorts ?? [], aliases));
  const { edited, said, refused } = sayInManifests(
    withFound({ ...former, manifests: extended }, found),
    wishes,
    'auto',
  );
  const texts = withEdited(extended, edited);
  const open = [...new Set([...joined.map((alias) => nameResource('cohort', alias)), ...wishes.map(({ key }) => key)])];
  const proven = withFound({ ...former, manifests }, found);
  return {
    texts,
    overlaid: [...said].toSorted(),
    notMerged: left,
    found,
    failed:
      refused.length > 0 ? refused.map(ofRefusedWish) : proveCohorts(proven, texts, { open, reasonOf: ofProblem }),
  };
}

function decideAll(
  pairs: CohortMatches['pairs'],
  snapshot: CohortSnapshot,
): { readonly wishes: readonly CohortWish[]; readonly left: readonly NotMerged[] } {
  const decided = pairs.flatMap(({ desired, live }) =>
    live === undefined || live.deleted === true ? [] : decide(desired, live, snapshot),
  );
  return {
    wishes: decided.flatMap((one) => ('resource' in one ? one : [])),
    left: decided.flatMap((one) => ('reason' in one ? one : [])),
  };
}

/** Nothing where a plan has nothing to do. */
function decide(
  desired: DesiredCohort,
  live: LiveCohort,
  snapshot: CohortSnapshot,
): readonly (CohortWish | NotMerged)[] {
  const key = nameResource('cohort', desired.key);
  if (live.cohort.is_static === true) return [{ key, reason: 'static' }];
  if (desired.kind === 'retired') return [{ key, reason: 'declared-deleted' }];
  const [change] = changeCohort({ desired, live }, snapshot).changes;
  if (change === undefined) return [];
  const names = fieldsOf(change.fields);
  const [, ...former] = desired.names;
  if (names.includes('name') && former.includes(live.cohort.name?.trim() ?? '')) return [{ key, reason: 'renamed' }];
  const fields = Object.fromEntries(names.map((name) => [name, memberOf(live.cohort, name) ?? null]));
  return [{ resource: 'cohort', key, fields }];
}

function ofRefusedWish({ key, reason, suggestion }: RefusedWish): NotMerged {
  if (reason.code === 'invalid') return { key, reason: ofProblem(reason.problem) };
  if (UNSAID.has(reason.code)) return { key, reason: 'reads-differently' };
  return { key, reason: 'not-editable', ...defined({ suggestion }) };
}

/** No edit says what is live. With the other reasons one does, and its text does not take it. */
const UNSAID: ReadonlySet<RefusalReason['code']> = new Set(['not-declared', 'not-expressible', 'changes-others']);

function ofProblem({ code }: ManifestDiagnostic): NotMergedReason {
  return code === 'cohort-behavioral' ? 'behavioral' : 'reads-differently';
}

/** With the ids of the cohorts that are found by name, as a plan has them. */
function withFound(input: EditingInput, found: Readonly<Record<string, number>>): EditingContext {
  const project = { ...input.project, cohorts: { ...found, ...input.project.cohorts } };
  const projects = input.projects.map((one) => (one.name === project.name ? project : one));
  return toEditingContext({ ...input, project, projects });
}
