/** The ids of live resources that are recorded with a commit: by them, a later run finds the flags and cohorts of then, whatever their names are. */

import type { ApplyResult } from '../../apply/result.ts';
import { comparing } from '../../base/compare-strings.ts';
import { memberOf } from '../../base/json.ts';
import { isSameHost } from '../../base/service-host.ts';
import type { RecordedIds } from '../../engine/base.ts';
import type { DesiredResource } from '../../engine/desired.ts';
import type { Identified } from '../../engine/plan.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { OwnKind } from '../../posthog/kind-types.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';

/** The declarations with the ids of the live resources that they were applied to, if it was in the same project. */
export function withRecordedIds(
  desired: DesiredState,
  recorded: RecordedIds | undefined,
  { project }: LoadedProject,
): DesiredState {
  const { host, project_id: projectId } = identityOf(project);
  if (recorded === undefined || !isSameHost(recorded.host, host) || recorded.project_id !== projectId) return desired;
  const withId = <One extends DesiredResource>(kind: OwnKind, one: One): One => {
    const id = memberOf(recorded.ids, nameResource(kind, one.key));
    return one.kind === 'declared' && id !== undefined ? { ...one, recordedId: id } : one;
  };
  return {
    ...desired,
    flags: desired.flags.map((one) => withId('flag', one)),
    ...(desired.cohorts === undefined ? {} : { cohorts: desired.cohorts.map((one) => withId('cohort', one)) }),
  };
}

export interface IdentifiedIn {
  readonly project: ProjectIdentity;
  readonly ids: Identified;
}

/** The ids of the plan, and of what the run created. */
export function identifiedBy(
  { project }: Pick<LoadedProject, 'project'>,
  { identified = {} }: Pick<Plan, 'identified'>,
  result: Pick<ApplyResult, 'changes'> | undefined,
): IdentifiedIn {
  const made = (result?.changes ?? []).flatMap(({ change, result: one }): [string, ResourceId][] => {
    const isNamed = change.action === 'create' && (change.resource === 'flag' || change.resource === 'cohort');
    const id = one.outcome === 'applied' ? one.id : undefined;
    return isNamed && id !== undefined ? [[nameResource(change.resource, change.key), id]] : [];
  });
  return { project: identityOf(project), ids: { ...identified, ...Object.fromEntries(made) } };
}

/** The recorded ids with those of the plan. Ids of another project mean nothing in this one. */
export function idsAfter({ project, ids: own }: IdentifiedIn, recorded?: RecordedIds): RecordedIds | undefined {
  const { host, project_id: projectId } = project;
  const isSame = recorded !== undefined && isSameHost(recorded.host, host) && recorded.project_id === projectId;
  const all = Object.entries({ ...(isSame ? recorded.ids : {}), ...own });
  const known = all.flatMap(([name, id]): [string, ResourceId][] => (id === null ? [] : [[name, id]]));
  const ids = Object.fromEntries(known.toSorted(comparing(([name]) => name)));
  return known.length === 0 ? undefined : { host, project_id: projectId, ids };
}
