/** The base of a comparison: what was applied last. */

import { among, array, object, string, type Keywords, type SchemaMembers } from '../../src/base/schema.ts';
import { rolloutProgress } from './rollouts.ts';
import { commitHash } from './values.ts';

/** What the commit of the base does not say of some resources, by the commit at which each was applied last. */
export function resourcesAtCommits(description: string): Keywords {
  return array(
    object({
      key: string('As options name the resource: `checkout`, `cohort:ALIAS`'),
      'fields?': array(string(), 'By their API name, `role_access` for the access; absent: all of the resource'),
      'commit?': commitHash('Where it was applied last; absent where it never was'),
    }),
    description,
  );
}

/** How well the base is known. */
export const knowledgeOfBase: SchemaMembers = {
  'earlier?': resourcesAtCommits('What earlier applies left: its base is at the commit at which it was applied last'),
  'rollouts?': array(rolloutProgress, 'How far the rollouts of the commit were applied; absent where it has none'),
  'unread?': object(
    { remote: string(), detail: string() },
    'The remote that shares the record and could not be read: the base is what this clone knows, and may be old',
  ),
  'checkout?': among(
    ['behind', 'apart'],
    'The checkout is older than the commit, or does not contain it; absent where it contains it, with `--base`, and where a shallow clone cannot tell',
  ),
};
