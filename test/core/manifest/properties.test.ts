/** Laws of reading and resolving, over random manifests. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { check, problems } from './check.ts';
import { holds } from '../../helpers/runs.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'a-b', '__proto__', 'constructor', 'new-checkout');
const property = fc.record(
  {
    key: name,
    type: fc.constantFrom('person', 'cohort', 'flag', 'group', 'x'),
    operator: fc.constantFrom('exact', 'in', 'flag_evaluates_to', 'gt', 'regex', null),
    value: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: ['key'] },
);
const percentage = fc.oneof(fc.nat(100), fc.double(), fc.constant(null));
const condition = fc.record(
  { properties: fc.array(property, { maxLength: 2 }), rollout_percentage: percentage, variant: name },
  { requiredKeys: [] },
);
const variant = fc.record({ key: name, rollout_percentage: fc.constantFrom(50, 100, 33.3) });
const filters = fc.record(
  {
    groups: fc.array(condition, { maxLength: 2 }),
    multivariate: fc.record({ variants: fc.array(variant, { maxLength: 2 }) }),
    payloads: fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })),
  },
  { requiredKeys: [] },
);
const layer = fc.record(
  {
    active: fc.boolean(),
    filters,
    rollout_percentage: percentage,
    deleted: fc.boolean(),
    role_access: fc.array(fc.constantFrom('engineering', 'support', 'x')),
  },
  { requiredKeys: [] },
);
const flag = fc
  .tuple(layer, fc.option(layer), fc.option(fc.array(name, { maxLength: 2 })))
  .map(([base, overlay, previous]) => ({
    ...base,
    ...(overlay === null ? {} : { projects: { production: overlay } }),
    ...(previous === null ? {} : { previous_keys: previous }),
  }));
const manifest = fc.record(
  {
    flags: fc.dictionary(name, flag, { maxKeys: 4 }),
    role_access: fc.dictionary(
      fc.constantFrom('engineering', 'support'),
      fc.array(fc.oneof(name, fc.constant('*')), { maxLength: 2 }),
    ),
  },
  { requiredKeys: [] },
);

const textOf = (value: unknown): string => JSON.stringify(value);
const asFiles = (manifests: readonly unknown[]): [string, string][] =>
  manifests.map((value, index) => [`${index}.yaml`, textOf(value)]);

/** Reverses the members of mappings; lists keep their order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member ?? null)]),
  );
}

/** A state without its places. */
function content(texts: Readonly<Record<string, string>>): unknown {
  return check(texts).desired.flags.map((rest) => ({
    ...rest,
    places: undefined,
    ...('roleAccess' in rest ? { roleAccess: rest.roleAccess?.map(({ id, name: role }) => ({ id, role })) } : {}),
  }));
}

describe('resolving', () => {
  it('does not depend on the order of the files', () => {
    holds(200, [fc.array(manifest, { maxLength: 3 })], (manifests) => {
      const files = asFiles(manifests);
      const one = check(Object.fromEntries(files));
      const other = check(Object.fromEntries(files.toReversed()));
      expect(other.desired).toEqual(one.desired);
      expect(other.diagnostics.map(textOf).toSorted()).toEqual(one.diagnostics.map(textOf).toSorted());
    });
  });

  it('does not depend on the order of keys', () => {
    holds(300, [manifest], (value) => {
      const mirrored = reversed(JSON.parse(textOf(value)));
      expect(content({ 'a.yaml': textOf(mirrored) })).toEqual(content({ 'a.yaml': textOf(value) }));
      expect(problems(textOf(mirrored)).toSorted()).toEqual(problems(textOf(value)).toSorted());
    });
  });

  it('places every problem and every value in a file', () => {
    holds(200, [manifest], (value) => {
      const { diagnostics, desired } = check(textOf(value));
      for (const { place, path } of diagnostics) {
        expect(place?.line).toBe(1);
        expect(path).toMatch(/^(\/|$)/);
      }
      for (const { places } of desired.flags) expect(places.place.line).toBe(1);
    });
  });

  it('returns a state and diagnostics for any JSON document', () => {
    holds(300, [fc.jsonValue(), fc.jsonValue()], (flags, roles) => {
      check(textOf({ flags, role_access: roles }));
      check(textOf({ flags: { f: flags, g: { filters: roles, projects: { production: flags } } } }));
    });
  });
});
