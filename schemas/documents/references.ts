/** The references of one repository, for the repository that has its flags. */

import { array, count, integer, mapOf, object, ref, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { place } from '../parts/place.ts';
import { indirectMembers, referenceMembers, skippedFiles } from '../parts/references.ts';
import { commitHash, filled, formatVersion, sha256, timestamp } from '../parts/values.ts';

const PLACE = ref(place, 'From the top of the repository');

export const referencesDocument = document(
  'references',
  object(
    {
      format_version: formatVersion,
      repository: filled('The name of the repository'),
      'commit?': commitHash('The commit that was searched, or on which the files on disk are based'),
      created_at: timestamp('When the code was searched'),
      keys: array(string(), 'The keys that were searched for; nothing is known of others'),
      references: array(object({ key: string(), ...withoutRepository(referenceMembers) }), 'By key and place'),
      not_declared: array(object({ key: string(), place: PLACE }), 'Places that read other keys'),
      indirect: array(object(withoutRepository(indirectMembers)), 'Places that make keys at run time'),
      outside_quotes: mapOf(integer({ minimum: 1 }), 'How often keys of one word occur as ordinary words'),
      files: count(),
      lines: count(),
      skipped: skippedFiles,
      digest: sha256('Of all other members; a document whose digest differs was edited or cut'),
    },
    {
      title: 'References of a repository',
      description: 'Where the code of one repository reads flags. Written by `flagwright refs export`.',
    },
  ),
);

function withoutRepository<Members extends object>(members: Members): Omit<Members, 'repository?'> {
  const { 'repository?': _, ...rest } = members as Members & { 'repository?': unknown };
  return rest;
}
