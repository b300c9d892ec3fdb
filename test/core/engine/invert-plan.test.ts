import { describe, expect, it } from 'vitest';
import { findKeys, renameChanges } from '../../../src/core/engine/invert-plan.ts';
import { renameSome } from '../../../src/core/engine/snapshot.ts';
import { KINDS } from '../../../src/posthog/kinds.ts';
import type { PostHog } from '../../../src/posthog/kind.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import {
  declared,
  dependsOn,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planFor,
  retired,
} from '../../helpers/states.ts';

const live = [liveFlag(1, 'base'), liveFlag(2, 'top', { filters: dependsOn('1') }), liveFlag(3, 'other')];
const keyNow = (id: number): string | undefined => live.find((flag) => flag.id === id)?.key;

const underNewKeys = (changes: readonly Change[]): readonly Change[] =>
  renameChanges<PostHog>(changes, { kinds: KINDS, renamed: findKeys<PostHog>(changes, KINDS), keyOf: keyNow });

/** Changes of an undo, with current keys except for the flag whose rename is undone: it has its new key. */
function changesOf(newKey: string) {
  const desired = desiredState(
    declared('base', { name: 'x' }, { roles: ['r1'] }),
    declared('top', { name: 'y', filters: { ...dependsOn('base'), payloads: { true: '1' } } }),
    declared('made', { filters: dependsOn('base') }),
    retired('other'),
  );
  const { changes } = planFor(desired, liveState(live, { 1: [entry(5, 'r2')] }));
  return changes.map((change) =>
    change.resource === 'flag' && change.key === 'base' ? { ...change, key: newKey, ref: `flag:${newKey}` } : change,
  );
}

describe('changes under new keys', () => {
  it('name a renamed flag by its new key in role access, in written dependencies and in recorded ones', () => {
    const changes = underNewKeys(changesOf('former'));
    expect(changes.map(({ ref, key }) => [ref, key]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))).toEqual([
      ['flag:former', 'former'],
      ['flag:made', 'made'],
      ['flag:other', 'other'],
      ['flag:top', 'top'],
      ['role_access:former:r1', 'former'],
      ['role_access:former:r2', 'former'],
    ]);
    expect(changes.find(({ ref }) => ref === 'flag:top')).toMatchObject({
      body: { name: 'y', filters: { ...dependsOn('former'), payloads: { true: '1' } } },
      base: {
        version: 1,
        flag: { key: 'top', filters: dependsOn('former') },
        former: { filters: dependsOn('former') },
      },
    });
    expect(changes.find(({ ref }) => ref === 'flag:made')).toMatchObject({ body: { filters: dependsOn('former') } });
  });

  it('are the same objects if no flag is renamed', () => {
    const changes = changesOf('base');
    expect(underNewKeys(changes)).toBe(changes);
  });

  it('keep the ids of unknown flags', () => {
    const desired = desiredState(declared('top', { filters: dependsOn(77) }), declared('base', { name: 'x' }));
    const { changes } = planFor(desired, liveState(live));
    const renamed = changes.map((change) =>
      change.resource === 'flag' && change.key === 'base' ? { ...change, key: 'former' } : change,
    );
    const top = underNewKeys(renamed).find(({ ref }) => ref === 'flag:top');
    expect(top).toMatchObject({ body: { filters: dependsOn(77) } });
  });
});

it('the key of a flag after the changes is the one in its change, else its current key', () => {
  const keyOf = renameSome({ keyOf: keyNow }, findKeys<PostHog>(changesOf('former'), KINDS));
  expect([1, 2, 3, 9].map(keyOf)).toEqual(['former', 'top', 'other', undefined]);
});
