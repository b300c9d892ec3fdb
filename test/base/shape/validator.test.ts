/** The validators of the build report of any value what ajv reports of it by the published schema: the same errors in the same order. */

import '../../helpers/seeded.ts';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateExceptions } from '../../../src/base/generated/exception-validators.ts';
import { validateExpectations } from '../../../src/base/generated/expectation-validators.ts';
import { validateFaults } from '../../../src/base/generated/fault-validators.ts';
import { isConfig, isManifest } from '../../../src/base/generated/guards.ts';
import { validatePlan } from '../../../src/base/generated/plan-validators.ts';
import { validateReferences } from '../../../src/base/generated/reference-validators.ts';
import {
  validateSeedDocument,
  validateSeedFlags,
  validateSeedListing,
} from '../../../src/base/generated/seed-validators.ts';
import { validateSnapshot } from '../../../src/base/generated/snapshot-validators.ts';
import { validateConfig, validateManifest } from '../../../src/base/generated/validators.ts';
import type { ShapeError, Validator } from '../../../src/base/shape/check.ts';
import { withoutRules } from '../../../scripts/compile-schemas.mjs';
import { readSchema } from '../../helpers/published-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

const ALL: [name: string, validator: Validator, part?: string][] = [
  ['manifest', validateManifest],
  ['config', validateConfig],
  ['exceptions', validateExceptions],
  ['expectations', validateExpectations],
  ['faults', validateFaults],
  ['seed', validateSeedDocument, 'document'],
  ['seed', validateSeedListing, 'listing'],
  ['seed', validateSeedFlags, 'flags'],
];
/** Of these, it is asked whether they are valid, and of a snapshot where it is not. */
const JUDGED: [name: string, validator: Validator][] = [
  ['manifest', isManifest],
  ['config', isConfig],
  ['plan', validatePlan],
  ['snapshot', validateSnapshot],
  ['references', validateReferences],
];
const OPTIONS = { allowUnionTypes: true, verbose: true, logger: false } as const;

test.each(ALL)('%s: every error is that of ajv', (name, validator, part) => {
  const schema = shapesOf(name);
  const top = part === undefined ? schema : { ...schema.$defs[part], $defs: schema.$defs };
  const validate = new Ajv2020({ ...OPTIONS, allErrors: true }).compile(top);
  fc.assert(
    fc.property(valueOf(top), (value) => {
      expect(validator(value as never)).toBe(validate(value));
      expect((validator.errors ?? []).map(told)).toEqual((validate.errors ?? []).map(told));
    }),
    { numRuns: 150 },
  );
});

test.each(JUDGED)('%s: it is judged as by ajv', (name, validator) => {
  const schema = shapesOf(name);
  const validate = new Ajv2020(OPTIONS).compile(schema);
  fc.assert(
    fc.property(valueOf(schema), (value) => {
      expect(validator(value as never)).toBe(validate(value));
      if (name === 'snapshot') expect(validator.errors?.[0]?.instancePath).toBe(validate.errors?.[0]?.instancePath);
    }),
    { numRuns: 150 },
  );
});

/** Without the rules for editors, which the command checks itself. */
function shapesOf(name: string): ReturnType<typeof readSchema> {
  return name === 'manifest' ? withoutRules(readSchema(name)) : readSchema(name);
}

/** What our readers use of an error; the words of a schema are left out of ours. */
function told({ keyword, instancePath, propertyName, params, data, parentSchema }: ShapeError | ErrorObject): unknown {
  const { type, additionalProperty, missingProperty, allowedValues, pattern } = params as Schema;
  const { properties, minimum, maximum, minLength, maxLength, minItems, maxItems } = (parentSchema ?? {}) as Schema;
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return {
    ...{ keyword, instancePath, propertyName, data, known },
    params: { type, additionalProperty, missingProperty, allowedValues, pattern },
    limits: { minimum, maximum, minLength, maxLength, minItems, maxItems },
  };
}

/** Values that mostly fit, with some parts that do not. */
function valueOf(root: Schema): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 101, 1e9, '', ' ', 'x', 'a/~b', [], {}, ['x'], {
    x: 1,
  });
  const arbitrary = (schema: Schema, depth: number): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 15, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: wrong });
  const fitting = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (typeof schema !== 'object') return wrong;
    const { $ref, const: constant, enum: values, examples, pattern } = schema;
    const branches = [schema['oneOf'], schema['anyOf'], schema['allOf']].find(Array.isArray) as Schema[] | undefined;
    if (typeof $ref === 'string') return arbitrary(resolve($ref), depth);
    if (constant !== undefined) return fc.constant(constant);
    if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
    if (branches !== undefined && schema['properties'] === undefined)
      return fc.oneof(...branches.map((branch) => arbitrary(branch, depth)));
    if (Array.isArray(examples) && depth > 2) return fc.constantFrom(...(examples as unknown[]), 'x');
    const types = [schema['type'] ?? 'object'].flat() as string[];
    return fc.oneof(...types.map((type) => ofType(type, schema, depth, typeof pattern === 'string')));
  };
  const ofType = (type: string, schema: Schema, depth: number, hasPattern: boolean): fc.Arbitrary<unknown> => {
    if (type === 'string')
      return fc.constantFrom(...(hasPattern ? ['2026-12-31', '12', 'a', '*'] : ['text', 'a-1', 'ü']));
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    if (type === 'integer' || type === 'number') return fc.constantFrom(0, 1, 50, 100);
    if (depth > 9) return fc.constantFrom<unknown>([], {});
    if (type === 'array') return fc.array(arbitrary((schema['items'] ?? {}) as Schema, depth + 1), { maxLength: 2 });
    return objectOf(schema, depth);
  };
  const objectOf = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const {
      properties = {},
      required = [],
      additionalProperties: more,
      patternProperties = {},
    } = schema as {
      readonly [name: string]: never;
    };
    const members = Object.fromEntries(
      Object.entries(properties as Record<string, Schema>).map(([name, member]) => [
        name,
        fc.oneof(
          { weight: (required as string[]).includes(name) ? 30 : 1, arbitrary: arbitrary(member, depth + 1) },
          { weight: 1 + depth, arbitrary: fc.constant(undefined) },
        ),
      ]),
    );
    const loose = typeof more === 'object' ? more : (Object.values(patternProperties)[0] ?? {});
    const other = fc.dictionary(
      fc.constantFrom('a', 'b-1', '', 'x-y', 'a/~b', '12'),
      arbitrary(loose as Schema, depth + 1),
      {
        maxKeys: more === false ? 1 : 2,
      },
    );
    const extra =
      more === false ? fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: other }) : other;
    return fc.tuple(fc.record(members), extra).map(([known, others]) => {
      const all = Object.entries({ ...known, ...others }).filter(([, value]) => value !== undefined);
      return Object.fromEntries(all);
    });
  };
  const resolve = (reference: string): Schema => {
    const names = reference.slice(2).split('/');
    return names.reduce<unknown>((part, name) => (part as Schema)[name], root) as Schema;
  };
  return arbitrary(root, 0);
}
