/** Matches by the ids that were recorded for the declarations of the base: a resource is the recorded one, whatever has its name now. */

import type { DesiredResource, Identity } from './desired.ts';
import type { MatchingState } from './match-traced.ts';
import type { Match } from './matched.ts';
import { findResourceOwner } from './ownership.ts';
import type { RuleWarning } from './plan.ts';
import type { LiveResource, ResourceId, Snapshot } from './snapshot.ts';
import type { Trace } from './trace.ts';

interface RecordedPair<Desired extends DesiredResource, Live extends LiveResource> {
  readonly base: Desired;
  readonly live: Live;
}

/** The id that was recorded for a declaration of the base, unless the configuration has one. */
export function recordedIdOf<Desired extends DesiredResource>(
  one: Desired,
  { idOf }: Pick<Identity<Desired>, 'idOf'>,
): ResourceId | undefined {
  return one.kind === 'declared' && idOf(one) === undefined ? one.recordedId : undefined;
}

export function findRecorded<Desired extends DesiredResource, Live extends LiveResource>(
  base: Desired,
  { byId }: Snapshot<Live>,
  identity: Identity<Desired>,
): RecordedPair<Desired, Live>[] {
  const id = recordedIdOf(base, identity);
  const live = id === undefined ? undefined : byId(id);
  return live === undefined ? [] : [{ base, live }];
}

/** The recorded one of several resources that may have one name, unless manifests name it otherwise. */
export function findAmongSharers<Desired extends DesiredResource, Live extends LiveResource>(
  desired: Desired,
  recorded: readonly RecordedPair<Desired, Live>[],
  { live: { byKey }, identity, named }: MatchingState<Desired, Live>,
): Live | undefined {
  if (!identity.mayShareNames || desired.kind === 'retired' || identity.idOf(desired) !== undefined) return undefined;
  const names = identity.namesOf(desired);
  const own = recorded.find(({ base }) => base.key === desired.key)?.live;
  if (own === undefined || own.deleted === true || !names.some((name) => byKey(name) !== undefined)) return undefined;
  return names.includes(own.key) || findResourceOwner(own.key, named) === 'unmanaged' ? own : undefined;
}

/** What the base recorded is surer than what the log says, and a run of this machine may be newer. */
export function joinTraces(
  traces: readonly Trace[],
  recorded: readonly RecordedPair<DesiredResource, LiveResource>[],
): readonly Trace[] {
  const ofBase = recorded.map(
    ({ base: { key }, live: { id } }) => ({ kind: 'former', key, id, evidence: 'recorded' }) as const,
  );
  const [own, others] = [traces.filter(isRecorded), traces.filter((one) => !isRecorded(one))];
  return [...others, ...ofBase, ...own];
}

function isRecorded(trace: Trace): boolean {
  return trace.kind === 'former' && trace.evidence === 'recorded';
}

/** Whether the resource that has the name of a declaration of the base now may be the one that it was applied to. */
export function isNamesake<Desired extends DesiredResource, Live extends LiveResource>(
  { byKey }: Snapshot<Live>,
  identity: Identity<Desired>,
): (base: Desired) => boolean {
  return (base) => {
    const id = recordedIdOf(base, identity);
    return id === undefined || identity.mayShareNames || [undefined, id].includes(byKey(base.key)?.id);
  };
}

/** Warns of a resource that was renamed in the service while another one got its name. */
export function warnOfReclaimed<Desired extends DesiredResource>(
  { desired, live, base }: Match<Desired, LiveResource>,
  { live: { byKey }, identity }: Pick<MatchingState<Desired, LiveResource>, 'live' | 'identity'>,
): RuleWarning[] {
  if (live === undefined || base === null || base === undefined || recordedIdOf(base, identity) !== live.id) return [];
  const { id, key: current } = live;
  const names = identity.namesOf(desired);
  const isTaken = names.some((name) => byKey(name) !== undefined);
  return names.includes(current) || !isTaken ? [] : [{ code: 'renamed_back', key: desired.key, id, current }];
}
