/** The values that own rules see of a change, with their types: `docs/own-rules.md` has the same table. */

import { stringifyJson } from '../../../base/json-text.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { numberConditions } from '../../effects/sides.ts';
import type { Effect, NumberedCondition } from '../../effects/effect.ts';
import { rolloutOf, shareOf, viewFilters } from '../../../posthog/flag/model/flag.ts';
import { readName } from '../../../posthog/names/resource-name.ts';
import type { JudgedResource, PolicyContext } from '../basis/policy-kind.ts';

/** The types of the fields, by the name of the type. A type stands after those that it names. */
export const TYPES = {
  Effect: { what: 'string', classes: 'list<string>', condition: 'int', points: 'double', field: 'string' },
  Change: {
    key: 'string',
    keys: 'list<string>',
    resource: 'string',
    actions: 'list<string>',
    classes: 'list<string>',
    effects: 'list<Effect>',
    widens: 'double',
    dormant: 'bool',
    experiments: 'list<string>',
  },
  Property: { key: 'string', type: 'string', operator: 'string', negated: 'bool', values: 'list<string>' },
  Condition: {
    number: 'int',
    description: 'string',
    rollout: 'double',
    variant: 'string',
    properties: 'list<Property>',
  },
  Variant: { key: 'string', name: 'string', rollout: 'double' },
  Flag: {
    present: 'bool',
    key: 'string',
    description: 'string',
    active: 'bool',
    archived: 'bool',
    deleted: 'bool',
    tags: 'list<string>',
    readable: 'bool',
    conditions: 'list<Condition>',
    variants: 'list<Variant>',
    payloads: 'list<string>',
  },
} as const;

/** The types of the variables. */
export const VARIABLES = { change: 'Change', before: 'Flag', after: 'Flag', project: 'string' } as const;

export type TypeName = keyof typeof TYPES;

/** The value of a type that has fields. */
export type FieldsOf<Name extends TypeName> = {
  readonly [Field in keyof (typeof TYPES)[Name]]: CelValue<(typeof TYPES)[Name][Field]>;
};

type CelValue<Type> = Type extends `list<${infer Element}>`
  ? readonly CelValue<Element>[]
  : Type extends TypeName
    ? FieldsOf<Type>
    : Type extends keyof Plain
      ? Plain[Type]
      : never;

interface Plain {
  readonly string: string;
  readonly bool: boolean;
  readonly double: number;
  readonly int: bigint;
}

export type CelContext = { readonly [Name in keyof typeof VARIABLES]: CelValue<(typeof VARIABLES)[Name]> };

/** Gives a value the type that the language knows it by. */
export type Maker = <Name extends TypeName>(type: Name, fields: FieldsOf<Name>) => FieldsOf<Name>;

/**
 * Has the key that the resource gets and, for a rename, the live one, so that no rename escapes a rule. Nothing is missing: members that a
 * resource or a side lacks are empty.
 */
export function contextsOf(resource: JudgedResource, surroundings: PolicyContext, make: Maker): readonly CelContext[] {
  const { names, liveName = names[0] } = resource;
  const sides = { before: flagOf(resource.before, make), after: flagOf(resource.after, make) };
  const change = changeOf(resource, surroundings, make);
  return [...new Set([names[0], liveName])].map((name) => ({
    change: make('Change', { ...change, key: keyIn(name) }),
    ...sides,
    project: surroundings.project,
  }));
}

/** The key in the name that options use. */
function keyIn(name: string): string {
  return readName(name).key;
}

function changeOf(resource: JudgedResource, { experiments }: PolicyContext, make: Maker): FieldsOf<'Change'> {
  const { key, names, before, changes, classes, effects, widening } = resource;
  const running = experiments?.get(textOf(before?.['key']) || key) ?? [];
  return make('Change', {
    key,
    keys: [...new Set(names.map(keyIn))],
    resource: resource.resource,
    actions: [...new Set(changes.map(({ action }) => action))],
    classes,
    effects: effects.map((effect) => effectOf(effect, make)),
    widens: Math.max(widening?.own.points ?? 0, ...(widening?.others ?? []).map(({ points }) => points)),
    dormant: resource.dormant === true,
    experiments: running.map(({ id, name }) => name || String(id)),
  });
}

function effectOf(effect: Effect, make: Maker): FieldsOf<'Effect'> {
  const { what, classes } = effect;
  const condition = 'condition' in effect ? effect.condition?.number : undefined;
  return make('Effect', {
    what,
    classes,
    condition: BigInt(condition ?? 0),
    points: what === 'rollout' ? effect.points : what === 'variants' ? effect.moved : 0,
    field: 'field' in effect ? effect.field : '',
  });
}

function flagOf(flag: JsonObject | undefined, make: Maker): FieldsOf<'Flag'> {
  const filters = objectOrEmpty(flag?.['filters']);
  const readable = !viewFilters(filters).isOpaque;
  const known = readable ? filters : {};
  const present = flag !== undefined;
  return make('Flag', {
    present,
    key: textOf(flag?.['key']),
    description: textOf(flag?.['name']),
    active: present && flag['active'] !== false,
    archived: flag?.['archived'] === true,
    deleted: flag?.['deleted'] === true,
    tags: arrayOrEmpty(flag?.['tags']).map(textOf),
    readable,
    conditions: numberConditions(known).map((condition) => conditionOf(condition, make)),
    variants: objectsIn(objectOrEmpty(known['multivariate'])['variants']).map((variant) => variantOf(variant, make)),
    payloads: Object.keys(objectOrEmpty(known['payloads'])),
  });
}

function conditionOf({ number, condition }: NumberedCondition, make: Maker): FieldsOf<'Condition'> {
  return make('Condition', {
    number: BigInt(number),
    description: textOf(condition['description']),
    rollout: rolloutOf(condition) ?? 100,
    variant: textOf(condition['variant']),
    properties: objectsIn(condition['properties']).map((property) => propertyOf(property, make)),
  });
}

function propertyOf(property: JsonObject, make: Maker): FieldsOf<'Property'> {
  const { value = null } = property;
  const values = isJsonArray(value) ? value : value === null ? [] : [value];
  return make('Property', {
    key: textOf(property['key']),
    type: textOf(property['type'] ?? 'person'),
    operator: textOf(property['operator'] ?? 'exact'),
    negated: property['negation'] === true,
    values: values.map(textOf),
  });
}

function variantOf(variant: JsonObject, make: Maker): FieldsOf<'Variant'> {
  return make('Variant', {
    key: textOf(variant['key']),
    name: textOf(variant['name']),
    rollout: shareOf(variant) ?? 100,
  });
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return arrayOrEmpty(value).filter(isJsonObject);
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : stringifyJson(value);
}
