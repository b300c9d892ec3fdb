/** Every warning and hazard that a plan may have is in the schema: a saved plan, or a journal, that breaks it could not be read again. */

import { expect, it } from 'vitest';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { planDocument } from '../../../src/posthog/planning/plan-document.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { EMPTY_PLAN } from '../../report/samples.ts';
import { HAZARDS, WARNINGS } from '../samples-of-codes.ts';
import { readSchema } from '../../helpers/published-schema.ts';

it.each(Object.values(WARNINGS))('has the warning $code', (warning) => {
  expect(errorsOf({ ...EMPTY_PLAN, warnings: [warning] })).toEqual([]);
});

it.each(Object.values(HAZARDS))('has the hazard $code', (hazard) => {
  expect(
    errorsOf({ ...EMPTY_PLAN, hazards: [hazard], lifted: [{ hazard, by: { by: 'option', option: '--override' } }] }),
  ).toEqual([]);
});

it.each(['undo', 'error'])('has the same definitions in the schema of %s', (name) => {
  const [plan, other] = [definitionsIn('plan'), definitionsIn(name)];
  for (const [definition, schema] of Object.entries(other)) expect(schema).toEqual(plan[definition]);
});

function definitionsIn(name: string): Record<string, unknown> {
  const schema = readSchema(name) as { $defs: Record<string, unknown> };
  const shared = ['warning', 'hazard', 'permit', 'given_permit'];
  return Object.fromEntries(Object.entries(schema.$defs).filter(([definition]) => shared.includes(definition)));
}

function errorsOf(plan: Plan): readonly string[] {
  return schemaErrors('plan', JSON.parse(stringifyJson(planDocument(plan))));
}
