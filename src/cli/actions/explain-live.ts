/** Reads what is live of a flag, a cohort or an early access feature and who made it so. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { matchResources } from '../../engine/match.ts';
import { indexResources } from '../../engine/snapshot.ts';
import { ServiceError } from '../../posthog/client/failure.ts';
import { readLiveState } from '../../posthog/client/live-state.ts';
import { readAttributions } from '../../posthog/client/read-attributions.ts';
import { loggedCohort, soughtInCohort } from '../../posthog/cohort/attribution.ts';
import { compareCohort } from '../../posthog/cohort/comparison.ts';
import { liveCohortValue } from '../../posthog/cohort/explain.ts';
import { matchAllCohorts } from '../../posthog/cohort/match.ts';
import type { DesiredFlag } from '../../posthog/desired.ts';
import { canonicalFeature, compareFeature } from '../../posthog/early-access/canonical.ts';
import { findByFlag } from '../../posthog/early-access/live.ts';
import type { FamilyName, FamilyTypes } from '../../posthog/kind-types.ts';
import { liveAccessOf, liveValueOf, soughtOf, toSeek, type DeclaredValue } from '../../posthog/explain.ts';
import { loggedFlag } from '../../posthog/flag/attribution.ts';
import { completed, supportedFields } from '../../posthog/flag/three-way.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { wantedState } from '../../posthog/wanted.ts';
import type { ExplainedValue, LiveFacts } from '../../report/explained.ts';
import { findOwnWrites } from '../runs/find-own-writes.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';

export interface ReadFlag {
  readonly live: LiveFacts;
  /** Keys are paths. */
  readonly values: ReadonlyMap<string, Pick<ExplainedValue, 'live' | 'attribution'>>;
}

interface ExplainedSubject<Name extends FamilyName> {
  readonly desired: FamilyTypes[Name]['desired'];
  readonly declared: readonly DeclaredValue[];
}

interface Reading {
  readonly session: Session;
  readonly opened: OpenProject;
}

const READERS: {
  readonly [Name in FamilyName]: (reading: Reading, subject: ExplainedSubject<Name>) => Promise<ReadFlag>;
} = {
  flags: readFlag,
  cohorts: readCohort,
  early_access: readFeature,
};

/** The pages of the list, one request for the activity, and one for the access of a flag where that is declared. */
export async function readExplained<Name extends FamilyName>(
  session: Session,
  { project }: LoadedProject,
  { section, ...subject }: ExplainedSubject<Name> & { readonly section: Name },
): Promise<ReadFlag> {
  const progress = createProgress(session);
  try {
    return await withProject(session, { project, onEvent: progress.onService }, (opened) =>
      READERS[section]({ session, opened }, subject).finally(progress.clear),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'aborted') throw error;
    if (!(error instanceof ServiceError || error instanceof FlagwrightError)) throw error;
    const { message, remedy = '' } = toFlagwrightError(error);
    return { live: { kind: 'unread', reason: `${message} ${remedy}`.trim() }, values: new Map() };
  }
}

async function readFlag(
  { session, opened }: Reading,
  { desired, declared }: ExplainedSubject<'flags'>,
): Promise<ReadFlag> {
  const live = await readLiveState(opened.client, wantedState({ flags: [desired] }));
  const flag = findLive(desired, live);
  if (flag === undefined) return { live: { kind: 'missing' }, values: new Map() };
  const names = indexResources(live.flags);
  const fields: JsonObject = desired.kind === 'declared' ? supportedFields(completed(desired), flag).wanted : {};
  const sought = soughtOf(
    declared.filter(({ layer }) => layer !== undefined),
    { flag, names, fields },
  );
  const writes = await findOwnWrites(session, opened.identity);
  const [attributions] =
    sought.length === 0
      ? []
      : await readAttributions(opened.client, [{ logged: loggedFlag(flag, names), sought }], writes);
  const values = sought.map((one) => {
    const attribution = attributions?.get(one.path);
    return [one.path, { live: liveValueOf(one, { flag, names, fields }), ...defined({ attribution }) }] as const;
  });
  const access = liveAccessOf(desired, declared, {
    access: live.roleAccess[String(flag.id)],
    organization: live.organization,
    flagId: flag.id,
    writes,
  });
  return { live: { kind: 'read', id: flag.id }, values: new Map([...values, ...access]) };
}

async function readCohort(
  { session, opened }: Reading,
  { desired, declared }: ExplainedSubject<'cohorts'>,
): Promise<ReadFlag> {
  const live = await readLiveState(opened.client, wantedState({ flags: [], cohorts: [desired] }));
  const [pair] = matchAllCohorts({ cohorts: [desired] }, live).pairs;
  const cohort = pair?.live?.cohort;
  if (cohort === undefined || desired.kind === 'retired') return { live: { kind: 'missing' }, values: new Map() };
  const wanted = toSeek(declared, compareCohort(desired.fields, cohort));
  const sought = soughtInCohort(wanted, { cohort, body: desired.fields });
  const writes = await findOwnWrites(session, opened.identity);
  const [found] = await readAttributions(opened.client, [{ logged: loggedCohort(cohort), sought }], writes);
  const values = sought.map((one) => {
    const attribution = found?.get(one.path);
    return [one.path, { live: liveCohortValue(one, desired.fields, cohort), ...defined({ attribution }) }] as const;
  });
  return { live: { kind: 'read', id: cohort.id }, values: new Map(values) };
}

/** The service records no changes of features, so nothing tells who made a value. */
async function readFeature(
  { opened }: Reading,
  { desired, declared }: ExplainedSubject<'early_access'>,
): Promise<ReadFlag> {
  const live = await readLiveState(opened.client, wantedState({ flags: [], early_access: [desired] }));
  const feature = findByFlag(desired.flag, live);
  if (feature === undefined) return { live: { kind: 'missing' }, values: new Map() };
  const values = canonicalFeature(feature);
  return {
    live: { kind: 'read', id: feature.id },
    values: new Map(
      declared.map(({ path, value: wanted }) => {
        const [field = ''] = fromPointer(path);
        const differs = compareFeature({ [field]: wanted }, feature).length > 0;
        return [path, { live: { ...defined({ value: memberOf(values, field) }), differs } }] as const;
      }),
    ),
  };
}

function findLive(desired: DesiredFlag, { flags, traces }: LiveState): Flag | undefined {
  return matchResources([desired], takeSnapshot({ flags, roleAccess: {} }).flags, defined({ traces: traces?.flags }))
    .pairs[0]?.live;
}
