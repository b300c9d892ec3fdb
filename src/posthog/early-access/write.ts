/**
 * Writes an early access feature. The service has no lock, so features are listed once more right before the write, and read back
 * afterwards. It keeps one feature for each flag, so a create that was lost is found again by its flag, and never made twice.
 */

import type { JsonObject } from '../../base/json.ts';
import { findEffect, inspect, rewrite, type BodyKind } from '../../engine/body-kind.ts';
import type { FieldChange } from '../../engine/change.ts';
import { diff, type Remainder, remainderOf } from '../../engine/diff.ts';
import { pages } from '../../engine/forecast.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { LookUpResult, Impossible, Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../service-client.ts';
import type { KindWriter } from '../run-state.ts';
import { canonicalFeature, compareFeature, mustLeaveStage } from './canonical.ts';
import type { CreateFeature, FeatureChange } from './change.ts';
import { type EarlyAccessFeature, allLive, toLive, type LiveFeature } from './feature.ts';
import type { FeatureRun } from './run-state.ts';

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
  findMoved: (change, feature, run) => {
    if (change.action === 'create') return findHolder(change, run);
    if (feature === undefined) return [{ path: '', before: change.base.feature }];
    return diff(change.base.feature, canonicalFeature(feature));
  },
  findRemainder: (change, feature) => findRemainder(change, feature),
};

/** The flag has a feature already, and the service refuses another one. */
function findHolder({ flag, body }: CreateFeature, run: FeatureRun): readonly FieldChange[] {
  const id = run.flagIdOf(flag);
  const holder = id === undefined ? undefined : run.find(id);
  return holder === undefined ? [] : [{ path: '', before: canonicalFeature(holder), after: canonicalFeature(body) }];
}

function flagIdOf(change: FeatureChange, run: FeatureRun): number | undefined {
  return change.action === 'create' ? run.flagIdOf(change.flag) : change.id;
}

function create(change: CreateFeature, run: FeatureRun, client: ServiceClient): Write | Impossible {
  const flagId = run.flagIdOf(change.flag);
  if (flagId === undefined) return missingFlag(change);
  const body: JsonObject = { ...change.body, feature_flag_id: flagId };
  const send = async (): Promise<number> => keep(await client.createEarlyAccessFeature(body), flagId, { change, run });
  return {
    send,
    lookUpAfter: 'conflict',
    repeatRefused: false,
    lookUp: async (): Promise<LookUpResult> => {
      const found = await findFeature(client, flagId);
      if (found === undefined) return { kind: 'unwritten', send };
      if (compareFeature(change.body, found).length > 0) return { kind: 'changed' };
      run.keep(change.key, found);
      return { kind: 'in_effect', id: flagId };
    },
  };
}

type Existing = Exclude<FeatureChange, CreateFeature>;

function update(change: Existing, run: FeatureRun, client: ServiceClient): Write {
  const { feature_id: id, body } = change;
  const send = async (): Promise<number> => {
    if (mustLeaveStage(change)) await client.updateEarlyAccessFeature(id, { stage: 'draft' });
    return keep(await client.updateEarlyAccessFeature(id, body), change.id, { change, run });
  };
  return rewrite<Existing, LiveFeature, FeatureRun>(
    change,
    {
      run,
      kind: BODY as BodyKind<Existing, LiveFeature, FeatureRun>,
      sendOver: () => send,
      read: async () => findFeature(client, change.id),
    },
    { hidesDeleted: false },
  );
}

interface WriteInRun {
  readonly change: FeatureChange;
  readonly run: FeatureRun;
}

/** An answer that names another flag, or none, proves nothing about the feature. */
function keep(answered: EarlyAccessFeature, flagId: number, { change, run }: WriteInRun): number {
  const feature = toLive(answered);
  if (feature?.id === flagId) run.keep(change.key, feature);
  return flagId;
}

function findRemainder(change: FeatureChange, feature: LiveFeature | undefined): readonly Remainder[] {
  if (feature === undefined) return [{ ref: change.ref, key: change.key, path: '', reason: 'not_found' }];
  return compareFeature(change.body, feature).map((difference) => remainderOf(change, difference));
}

function missingFlag({ flag }: CreateFeature): Impossible {
  const message = `The flag ${flag}, which the early access feature offers, does not exist.`;
  return { impossible: { code: 'flag_missing', message, field: 'feature_flag_id' } };
}
