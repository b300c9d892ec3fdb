/** What all changes say. */

import { array, is, string, type Keywords, type SchemaMembers } from '../../../src/base/schema.ts';
import { place } from '../place.ts';
import { divergence } from '../values.ts';

/** A change of a plan, or one that a run executed: it has the members of its outcome as well, which `outcome` describes. */
export type ChangeState = 'planned' | 'executed';

interface Identity {
  readonly ref?: string;
  readonly key?: string;
}

export function changeOf(resource: string, action: string, identity: Identity = {}): SchemaMembers {
  return {
    action: is(action),
    resource: is(resource),
    ref: string(identity.ref ?? 'Identifies the change within its plan'),
    key: string(identity.key ?? 'The key of the flag after the change'),
    needs: array(string(), 'Refs of the changes that must be applied first'),
    'source?': place,
  };
}

/** The members of an executed change. `created`: the id of what it made. */
export function executed(state: ChangeState, created: SchemaMembers = {}): SchemaMembers {
  if (state === 'planned') return {};
  const names = ['outcome', 'error', 'change_request', 'parts', 'skipped', 'already'];
  return { ...Object.fromEntries(names.map((name) => [`${name}?`, true])), ...created };
}

export const moved: Keywords = divergence(
  'What moved away from the base: the manifests, the service, or both to different values; absent without a base',
);
