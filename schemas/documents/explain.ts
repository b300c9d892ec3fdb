/** What `explain` prints. */

import { scheduled } from '../parts/scheduled.ts';
import { among, array, boolean, define, integer, is, object, oneOf, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { attributionWith } from '../parts/attribution.ts';
import { place } from '../parts/place.ts';
import { plannedRollout } from '../parts/rollouts.ts';
import { bareProject, bounds, formatVersion } from '../parts/values.ts';

const value = define(
  'value',
  object({
    path: string('JSON pointer in the names of the API; access is at `/role_access`'),
    value: { description: 'As the manifests write it' },
    place,
    'layer?': among(
      ['base', 'overlay'],
      '`overlay`: of the project. Absent for access, which may be declared in two sections',
    ),
    'replaces?': object({ value: { description: 'What the base says' }, place: place }, 'What the overlay replaces'),
    ownership: oneOf(
      [among(['managed', 'initial', 'observed']), object({ between: bounds({}) })],
      'Who decides about the value',
    ),
    'line?': oneOf(
      [
        object({
          kind: is('commit'),
          commit: string(),
          author: string(),
          at: string(),
          summary: string("First line of the commit's message"),
        }),
        object({ kind: is('uncommitted') }),
        object({ kind: is('unknown'), detail: string() }),
      ],
      'Who changed the line last; absent without a history',
    ),
    'live?': object(
      {
        'value?': { description: 'Absent where the live flag has no value' },
        differs: boolean('Whether a plan would change it'),
      },
      'Absent where live state was not read',
    ),
    'attribution?': attributionWith({}, 'Who made the live value, as in a plan'),
  }),
);

export const explainDocument = document(
  'explain',
  object(
    {
      format_version: formatVersion,
      project: bareProject,
      key: string('The key of the flag, or `cohort:ALIAS`'),
      'url?': string(
        'Its page in the web interface; absent for the embedded service and where live state was not read',
      ),
      live: oneOf(
        [
          object({
            kind: is('read'),
            id: integer('Id of the flag or cohort; of an early access feature the id of its flag'),
          }),
          object({ kind: among(['missing', 'offline'], '`missing`: the project has no such flag') }),
          object({ kind: is('unread'), reason: string() }),
        ],
        'Whether live state was read',
      ),
      history: oneOf(
        [object({ kind: is('read') }), object({ kind: is('none'), reason: string() })],
        'Whether git was asked',
      ),
      values: array(value, 'In the order of the manifest'),
      'scheduled?': scheduled,
      'rollouts?': array(
        plannedRollout,
        'Of a flag, as in a plan; what guards say is there only if the service was read',
      ),
    },
    { title: 'Explanation', description: 'What `flagwright explain` prints with `--format json`.' },
  ),
);
