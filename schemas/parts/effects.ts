/** What changes do to people. */

import { among, array, boolean, define, integer, is, number, object, string } from '../../src/base/schema.ts';
import { EFFECT_CLASSES } from '../../src/review/effects/effect.ts';

const effectClass = define(
  'effect_class',
  among(EFFECT_CLASSES, {
    title: 'Class of an effect',
    description: 'https://flagwright.dev/effects says what each class means for people',
  }),
);

export const numberedCondition = define(
  'numbered_condition',
  object({
    number: integer('Counts from 1'),
    condition: { type: 'object', description: 'As compared: in canonical form' },
  }),
);

const effect = define(
  'effect',
  object(
    {
      what: among([
        'created',
        'restored',
        'deleted',
        'switched',
        'renamed',
        'bucketing',
        'condition_added',
        'condition_removed',
        'condition_moved',
        'rollout',
        'audience',
        'condition_variant',
        'condition_description',
        'condition_rewritten',
        'variants',
        'payload',
        'setting',
        'metadata',
        'unknown',
        'access',
        'cohort',
      ]),
      classes: array(effectClass, 'The riskiest first'),
      text: string('The effect as a sentence; its wording may change'),
      'active?': boolean(),
      'conditions?': array(numberedCondition),
      'others?': array(string(), 'What else in a new or restored flag decides who gets it'),
      'on?': boolean(),
      'from?': { type: ['string', 'integer'], description: 'The former key, or the former number of a condition' },
      'to?': string(),
      'field?': string('API name'),
      'path?': string(),
      'condition?': numberedCondition,
      'matters?': boolean('Whether the order of the conditions decides anything'),
      'before?': { description: 'Value, number, or shares of variants' },
      'after?': { description: 'As `before`' },
      'points?': number("Percentage points of the condition's people"),
      'added?': array({ type: 'object' }),
      'removed?': array({ type: 'object' }),
      'changed?': array(object({ before: { type: 'object' }, after: { type: 'object' } })),
      'moved?': number('Percentage points of all people whose variant by hash differs'),
      'payload?': string('The variant, or `true`'),
      'how?': among(['added', 'removed', 'changed']),
      'action?': string(),
      'role?': string(),
      'flags?': array(string()),
      'audience?': among(
        ['same', 'wider', 'narrower'],
        'Whom an updated cohort selects, compared with before, where that is proved',
      ),
    },
    { title: 'Effect' },
  ),
);

export const resourceEffects = define(
  'resource_effects',
  object({
    resource: string(),
    key: string('The flag, or the alias of the cohort'),
    refs: array(string(), 'The changes of this plan'),
    classes: array(effectClass, 'The riskiest first'),
    'dormant?': is(true, "The flag is disabled before and after: nobody's value changes yet"),
    effects: array(effect),
  }),
);
