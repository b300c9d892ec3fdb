/** Evaluates flags for a few persons, in either generation, so that tests can compare two flags. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { evaluateFlags } from '../../../src/evaluation/evaluate.ts';
import type { Generation } from '../../../src/evaluation/input.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { mapReferences } from '../../../src/posthog/flag/model/references.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../../src/posthog/flag/model/canonical.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';

const GENERATIONS: readonly Generation[] = ['python-2023', 'rust-2026'];

const PEOPLE = [
  {},
  { email: 'a@acme.com', name: 'Acme', a: 'b', plan: 'pro' },
  { email: 'many', a: 1, seats: 30, version: '1.2.3', '5': 'a' },
  { email: 25, joined: '2024-01-01', country: 'DE' },
].flatMap((personProperties, index) => [
  subjectWith({ distinctId: `user-${index}`, personProperties, cohortIds: [42] }),
  subjectWith({
    distinctId: `member-${index}`,
    personProperties,
    groups: { company: 'acme', team: 'red' },
    groupProperties: { company: { name: 'Acme', ...personProperties }, team: { name: 'Red' } },
  }),
]);

/** Every flag's value, reason and payload for each person, by key. Unmanaged parts count as absent. */
export function evaluations(flags: readonly Flag[]): ReadonlyMap<string, JsonValue> {
  const managed = flags.map((flag) => ({ ...flag, filters: withoutForeignParts(flag.filters) }) as Flag);
  const rounds = GENERATIONS.flatMap((generation) =>
    PEOPLE.map((subject) => {
      const groupTypes = { '0': 'company', '1': 'team' };
      const cohorts = { '42': { kind: 'static' as const } };
      return evaluateFlags({
        flags: managed,
        subject,
        context: contextWith({ generation, groupTypes, cohorts }),
      });
    }),
  );
  const named = (round: (typeof rounds)[number], key: string): JsonValue => {
    const { payload, ...rest } = round.get(key) ?? {};
    return {
      ...rest,
      ...(payload === undefined ? {} : { payload: parsedPayload(payload as JsonValue) }),
    } as JsonObject;
  };
  return new Map(managed.map(({ key }) => [key, rounds.map((round) => named(round, key))]));
}

/** The declared flags as a service would store them, with the ids of the exported flags. */
export function storedFlags({ flags }: DesiredState, live: readonly Flag[]): Flag[] {
  const ids = new Map<string, number>(live.toReversed().map(({ key, id }) => [key, id]));
  return flags.flatMap((flag) => {
    if (flag.kind === 'retired') return [];
    const { filters, ...fields } = flag.fields;
    const references = {
      flag: (key: string | number) => (typeof key === 'number' ? String(key) : String(ids.get(key) ?? key)),
    };
    const stored = filters === undefined ? {} : { filters: mapReferences(filters as JsonObject, references) };
    return [{ id: ids.get(flag.key) ?? 0, key: flag.key, ...fields, ...stored } as Flag];
  });
}

function withoutForeignParts(filters: Flag['filters']): JsonObject {
  const parts = Object.entries(filters ?? {}).filter(([name]) => !PARTS_OF_OTHER_PRODUCTS.includes(name));
  return Object.fromEntries(parts);
}

/** The service stores payloads as JSON text, so a value and its text are equal. */
function parsedPayload(payload: JsonValue): JsonValue {
  if (typeof payload !== 'string') return payload;
  try {
    return JSON.parse(payload) as JsonValue;
  } catch {
    return payload;
  }
}
