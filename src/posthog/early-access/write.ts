/**
 * Writes an early access feature. The service has no lock, so features are listed once more right before the write, and read back
 * afterwards. It keeps one feature for each flag, so a create that was lost is found again by its flag, and never made twice.
 */

import { findEffect, inspect, rewrite, shownFields, type BodyKind } from '../../core/engine/body-kind.ts';
import { diff, type Remainder, remainderOf } from '../../core/engine/diff.ts';
import { pages } from '../../core/engine/forecast.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { Impossible, Write } from '../../core/engine/writer.ts';
import type { FlagRun } from '../flag/write.ts';
import type { ServiceClient } from '../service-client.ts';
import type { KindWriter } from '../run-state.ts';
import { mustLeaveStage, type CreateFeature, type FeatureChange } from './change.ts';
import {
  allLive,
  canonicalFeature,
  compareFeature,
  toLive,
  type EarlyAccessFeature,
  type LiveFeature,
} from './feature.ts';

/** A run's knowledge of the features that it writes: as they were read, and what its own writes changed. */
export interface FeatureRun {
  /** The id of the flag of a feature that the plan names by alias, once the feature exists. */
  readonly idOf: (alias: string) => number | undefined;
  /** The feature as it was read, or as the service answered to a write of this run; by the id of its flag. */
  readonly find: (flagId: ResourceId) => LiveFeature | undefined;
  readonly see: (flagId: number, feature: LiveFeature | undefined) => void;
  readonly keep: (alias: string, feature: LiveFeature) => void;
  /** The id of a flag that the plan names by key, once it exists. */
  readonly flagIdOf: (key: string) => number | undefined;
}

/** A feature that the plan creates exists already where its flag has one: an earlier run, or another user, made it. */
export function openFeatures(
  live: readonly LiveFeature[],
  changes: readonly FeatureChange[],
  flags: Pick<FlagRun, 'idOf'> | undefined,
): FeatureRun {
  const seen = new Map<ResourceId, LiveFeature | undefined>(live.map((feature) => [feature.id, feature]));
  const flagByAlias = new Map(changes.map(({ key, flag }) => [key, flag]));
  const flagIdOf = (key: string): number | undefined => flags?.idOf(key);
  return {
    idOf: (alias) => {
      const id = flagIdOf(flagByAlias.get(alias) ?? '');
      return id === undefined || seen.get(id) === undefined ? undefined : id;
    },
    find: (id) => seen.get(id),
    see: (id, feature) => void seen.set(id, feature),
    keep: (_alias, feature) => void seen.set(feature.id, feature),
    flagIdOf,
  };
}

export const featureWriter: KindWriter<FeatureChange> = {
  needsRefresh: () => true,
  refresh: async (change, { early_access: run }, client) => {
    const id = flagIdOf(change, run);
    if (id !== undefined) run.see(id, await findFeature(client, id));
  },
  inspect: (change, { early_access: run }) => inspect(change, run, BODY),
  findEffect: (change, { early_access: run }) => findEffect(change, run, BODY),
  prepare: (change, { early_access: run }, client) =>
    change.action === 'create' ? create(change, run, client) : update(change, run, client),
  readBack: async (changes, { client, state: { early_access: run } }) => {
    if (changes.length === 0) return [];
    const read = new Map<ResourceId, LiveFeature>((await listFeatures(client)).map((feature) => [feature.id, feature]));
    return changes.flatMap((change) => findRemainder(change, read.get(flagIdOf(change, run) ?? Number.NaN)));
  },
  countReadBack: (changes) => [pages(changes.length === 0 ? 0 : 1)],
};

/** Every feature of the project whose flag exists. */
export async function listFeatures(client: ServiceClient): Promise<readonly LiveFeature[]> {
  return allLive(await client.listEarlyAccessFeatures());
}

/** The feature of a flag. The list is one request, and the service finds none by its flag. */
export async function findFeature(client: ServiceClient, flagId: ResourceId): Promise<LiveFeature | undefined> {
  return (await listFeatures(client)).find(({ id }) => id === flagId);
}

const BODY: BodyKind<FeatureChange, LiveFeature, FeatureRun> = {
  findMissing: ({ body }, feature) => compareFeature(body, feature),
  findWritten: (change) =>
    change.action === 'create'
      ? diff(canonicalFeature(shownFields(change)), canonicalFeature(change.body))
      : compareFeature(change.body, change.base.feature),
  findMoved: (change, feature, run) => {
    if (change.action !== 'create') {
      if (feature === undefined) return [{ path: '', before: change.base.feature }];
      return diff(change.base.feature, canonicalFeature(feature));
    }
    // The service refuses a second feature of a flag.
    const holder = run.find(flagIdOf(change, run) ?? Number.NaN);
    if (holder === undefined) return [];
    return [{ path: '', before: canonicalFeature(holder), after: canonicalFeature(change.body) }];
  },
  findRemainder,
};

function flagIdOf(change: FeatureChange, run: FeatureRun): number | undefined {
  return change.action === 'create' ? run.flagIdOf(change.flag) : change.id;
}

function create({ key, flag, body }: CreateFeature, run: FeatureRun, client: ServiceClient): Write | Impossible {
  const id = run.flagIdOf(flag);
  if (id === undefined) {
    const message = `The early access feature offers the flag ${flag}, which does not exist.`;
    return { impossible: { code: 'flag_missing', message, field: 'feature_flag_id' } };
  }
  const send = async (): Promise<number> =>
    seeAnswer(run, id, await client.createEarlyAccessFeature({ ...body, feature_flag_id: id }));
  return {
    send,
    lookUpAfter: 'conflict',
    repeatRefused: false,
    lookUp: async () => {
      const found = await findFeature(client, id);
      if (found === undefined) return { kind: 'unwritten', send };
      if (compareFeature(body, found).length > 0) return { kind: 'changed' };
      run.keep(key, found);
      return { kind: 'in_effect', id };
    },
  };
}

type Existing = Exclude<FeatureChange, CreateFeature>;

function update(change: Existing, run: FeatureRun, client: ServiceClient): Write {
  const { id, feature_id: uuid, body } = change;
  const send = async (): Promise<number> => {
    if (mustLeaveStage(change)) await client.updateEarlyAccessFeature(uuid, { stage: 'draft' });
    return seeAnswer(run, id, await client.updateEarlyAccessFeature(uuid, body));
  };
  return rewrite<Existing, LiveFeature, FeatureRun>(
    change,
    { run, kind: BODY, sendOver: () => send, read: async () => findFeature(client, id) },
    { hidesDeleted: false },
  );
}

/** An answer that names another flag, or none, proves nothing about the feature. */
function seeAnswer(run: FeatureRun, flagId: number, answer: EarlyAccessFeature): number {
  const feature = toLive(answer);
  if (feature?.id === flagId) run.see(flagId, feature);
  return flagId;
}

function findRemainder(change: FeatureChange, feature: LiveFeature | undefined): readonly Remainder[] {
  if (feature === undefined) return [{ ref: change.ref, key: change.key, path: '', reason: 'not_found' }];
  return compareFeature(change.body, feature).map((difference) => remainderOf(change, difference));
}
