/** Values that many schemas name. */

import {
  among,
  array,
  define,
  is,
  number,
  object,
  string,
  type Definition,
  type Keywords,
  type Remarks,
} from '../../src/base/schema.ts';

/** Version of a document's format. */
export const formatVersion: Keywords = is('1.0', 'Version of this format; a new member comes with a new minor version');

/** The project of a document that has no more to say of it. */
export const bareProject: Keywords = object({ name: string(), host: string(), project_id: string() });

export function runName(description: string): Keywords {
  return string({ pattern: '^\\d{8}T\\d{9}Z-[0-9a-f]{4}$', description });
}

export function commitHash(description: string): Keywords {
  return string({ pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$', description });
}

export function sha256(description: string): Keywords {
  return string({ pattern: '^sha256:[0-9a-f]{64}$', description });
}

export function timestamp(description: string): Keywords {
  return string({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', description });
}

/** The last day on which an entry of a file is valid. */
export function lastDay(description: string): Keywords {
  return string({ description, pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-12-31'] });
}

export function percentage(remarks: Keywords): Keywords {
  return number({ ...remarks, minimum: 0, maximum: 100 });
}

/**
 * A value, or the steps in which it changes over time. `value`: its schema, of one type. `step`: one of `stepTo`.
 */
export function stepped(value: Keywords, step: Definition): Keywords {
  const { steps, from, catch_up, guard } = {
    steps: array(step, { minItems: 1, description: 'What the value becomes, and when, in order of time.' }),
    from: {
      ...keywordsOfValue(value),
      description: 'The value until the first step. Default: 0; of `active` the opposite of the first step.',
    },
    catch_up: among(
      ['latest'],
      'latest: a late run goes to the newest step whose time has come. Default: the next one.',
    ),
    guard: {
      type: ['string', 'array'],
      items: string({ minLength: 1 }),
      minLength: 1,
      minItems: 1,
      description: 'The guard or guards of flagwright.yaml that each widening step waits for.',
      examples: ['checkout-errors'],
    },
  };
  return {
    ...value,
    type: [value['type'], 'object'],
    properties: { steps, from, catch_up, guard },
    required: ['steps'],
    additionalProperties: false,
  };
}

export function stepTo(name: string, value: Keywords): Definition {
  const at = string({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$',
    description: 'The time, with the offset of its time zone.',
    examples: ['2026-12-01T09:00+01:00'],
  });
  return define(
    name,
    object({
      at,
      to: { ...keywordsOfValue(value), description: 'The value from then on.' },
      'done?': among([true], 'Somebody made the step in the service at this time: `accept` writes it.'),
    }),
  );
}

function keywordsOfValue({ type, minimum, maximum }: Keywords): Keywords {
  return Object.fromEntries(Object.entries({ type, minimum, maximum }).filter(([, keyword]) => keyword !== undefined));
}

/** A lower and an upper bound. */
export function bounds(remarks: Keywords = {}): Keywords {
  return array(number(), { ...remarks, minItems: 2, maxItems: 2 });
}

/** Which side moved away from the base. */
export function divergence(description: string): Keywords {
  return among(['pending', 'drifted', 'conflict'], description);
}

/** A string that is not empty. */
export function filled(remarks: Remarks = {}): Keywords {
  return string({ ...(typeof remarks === 'string' ? { description: remarks } : remarks), minLength: 1 });
}

/** A date, with or without a time, in the forms that the service reads. */
export function dateTime(remarks: Keywords = {}): Keywords {
  const pattern = '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:?\\d{2})?)?$';
  return string({ ...remarks, pattern });
}
