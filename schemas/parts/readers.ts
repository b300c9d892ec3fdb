/** The code that reads the flags of a plan's changes. */

import { among, array, boolean, object, string } from '../../src/base/schema.ts';
import { LOSSES } from '../../src/code/references/losses.ts';
import { gap, indirectMembers, referenceMembers } from './references.ts';

export const readers = object(
  {
    flags: array(
      object({
        ref: string('The change'),
        key: string('The key that code reads: the live one'),
        loses: among(LOSSES, 'What the change takes from code: `variants` go, the flag stays'),
        'variants?': array(string(), 'The variants that go'),
        verdict: among(['read', 'possible', 'indirect', 'unknown'], 'As in what `refs` prints'),
        searched: boolean('False: some code was not searched for the key'),
        'hidden?': array(string(), 'Files that read the flag at the base, and are there but no longer searched'),
        'edited?': array(
          string(),
          'Documents of `refs.sources` that named the flag at the base, and that the change edits',
        ),
        references: array(
          object({ ...referenceMembers, 'variants?': array(string(), 'Those that go and that the line names too') }),
          'Certain ones first',
        ),
        indirect: array(object(indirectMembers), 'Places that may make the key at run time'),
      }),
      'A change that no found code concerns has no entry',
    ),
    gaps: array(gap, 'Code that was not searched'),
  },
  {
    title: 'Code that reads what changes',
    description:
      'Only in what `plan` prints, where the plan deletes, disables or renames a flag, or removes variants. The fingerprint does not cover it',
  },
);
