/** Feature flags as a kind of resource. */

import { isPartial } from '../../engine/change.ts';
import type { Effect } from '../../engine/kind.ts';
import type { PostHogKind } from '../model.ts';
import { assessFlags } from './assess.ts';
import { canonicalFlag } from './canonical.ts';
import type { FlagChange } from './change.ts';
import { changeFlag, deleteFlag } from './changes.ts';
import { hasEncryptedPayloads, holdsPayloadDigest, withMissingDigests } from './encrypted-payloads.ts';
import { invertFlagChange } from './invert.ts';
import { renameDependencies } from './key-changes.ts';
import { findFlagNeeds } from './needs.ts';
import { namedFlags } from './references.ts';
import { disables, joinUpdates, splitUpdate } from './split-change.ts';

export const FLAG: PostHogKind<FlagChange> = {
  name: 'flag',
  actions: ['create', 'update', 'delete', 'restore'],

  compare: (match, { flags }) => changeFlag(match, flags),
  prune: (live, { flags }) => deleteFlag(live, flags, undefined),
  dependencies: (desired) => (desired.kind === 'retired' ? [] : namedFlags(desired.fields['filters'])),

  findNeeds: (changes, { flags }, waived) => findFlagNeeds(changes, flags, waived),
  split: (change) => (isSplittable(change) ? splitUpdate(change) : [change]),

  effects,
  liveKey,
  assess: (changes, { flags }) => assessFlags(changes, flags),

  hideSecrets: (change) =>
    hasSecrets(change) ? { ...change, body: withMissingDigests(canonicalFlag(change.body)) } : change,
  lacksSecrets: ({ body }) => holdsPayloadDigest(body),

  invert: (applied, { flags }) => invertFlagChange(applied, flags),
  join: joinUpdates,
  rename: renameDependencies,
};

function isSplittable(change: FlagChange): change is Extract<FlagChange, { readonly action: 'update' }> {
  return disables(change) && change.body['filters'] !== undefined;
}

function effects(change: FlagChange): readonly Effect[] {
  if (change.action === 'delete') return change.reason === 'pruned' ? ['delete', 'prune'] : ['delete'];
  if (change.action !== 'update') return [];
  return [
    ...(isPartial(change) ? [] : (['update'] as const)),
    ...(disables(change) ? (['disable'] as const) : []),
    ...(change.body['key'] === undefined ? [] : (['rename'] as const)),
  ];
}

function liveKey({ key, fields }: FlagChange): string {
  const before = fields.find(({ path }) => path === '/key')?.before;
  return typeof before === 'string' ? before : key;
}

function hasSecrets(change: FlagChange): boolean {
  return hasEncryptedPayloads({ ...(change.action === 'create' ? {} : change.base.flag), ...change.body });
}
