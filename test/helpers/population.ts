/** Persons who differ in the properties that filters use, and their values of a flag in both generations of the service. */

import { canonicalText, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { evaluateFlags } from '../../src/evaluation/evaluate.ts';
import type { EvaluationContext, Generation, Subject } from '../../src/evaluation/input.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { liveFlag } from './states.ts';

const GENERATIONS: readonly Generation[] = ['python-2023', 'rust-2026'];

const CONTEXT: Omit<EvaluationContext, 'generation'> = {
  now: new Date('2026-03-01T12:00:00Z'),
  timeZone: 'Europe/Berlin',
  groupTypes: { 0: 'company', 1: 'project' },
  cohorts: {
    42: { kind: 'static' },
    43: {
      kind: 'dynamic',
      properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }] },
    },
    57: { kind: 'static' },
  },
};

const VALUES: readonly JsonValue[] = ['pro', 'DE', '@acme.com', '25', 25, 'ünï ✓', 'true', true, '', 7];

function subject(index: number): Subject {
  const value = VALUES[index % VALUES.length] as JsonValue;
  const isIn = (part: number): boolean => index % part === 0;
  return {
    distinctId: `person-${index}`,
    personProperties: {
      ...(isIn(3) ? {} : { plan: value, country: value, seats: index, 7: value }),
      ...(isIn(4) ? { email: `${index}@acme.com`, beta: value, company: 'acme' } : {}),
      ...(isIn(5) ? { '$feature_enrollment/a': isIn(3) } : {}),
    },
    groups: { ...(isIn(2) ? { company: `c${index}` } : {}), ...(isIn(3) ? { project: index } : {}) },
    groupProperties: { company: { plan: value, country: 'DE' }, project: { plan: 'pro', seats: 25 } },
    cohortIds: [...(isIn(2) ? [42] : []), ...(isIn(7) ? [57] : [])],
    ...(isIn(6) ? { deviceId: `device-${index}` } : {}),
    ...(isIn(2) ? { anonymousId: `anonymous-${index}` } : {}),
  };
}

const SUBJECTS: readonly Subject[] = Array.from({ length: 40 }, (_, index) => subject(index));

/** A flag that others depend on, by id and by key. */
const BASE = liveFlag(7, '7', { filters: { groups: [{ rollout_percentage: 50 }] } });

/** Everyone's value and payload of the flag with these fields, as one string. */
export function valuesOf(fields: JsonObject): string {
  const flag = { ...liveFlag(1, 'a', fields) } as Flag;
  const values = GENERATIONS.flatMap((generation) =>
    SUBJECTS.map((one): JsonValue => {
      try {
        const input = { flags: [flag, BASE], context: { ...CONTEXT, generation }, subject: one };
        const evaluation = evaluateFlags(input).get('a');
        return [evaluation?.value ?? 'gone', asRead(evaluation?.payload)];
      } catch (error) {
        return String(error);
      }
    }),
  );
  return canonicalText(values);
}

/** A payload as an application reads it: parsed JSON, or null if there is none. */
function asRead(payload: JsonValue | undefined): JsonValue {
  if (typeof payload !== 'string') return payload ?? null;
  try {
    return JSON.parse(payload) as JsonValue;
  } catch {
    return payload;
  }
}
