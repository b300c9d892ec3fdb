/** Validates values against a JSON Schema as ajv does, with the keywords that our schemas use: the same errors in the same order. */

import { memberOf } from '../json.ts';
import { fromPointer } from '../json-pointer.ts';
import type { Validator } from './check.ts';
import { $ref, allOf, anyOf, conditional, not, oneOf } from './joining-rules.ts';
import {
  additionalProperties,
  items,
  patternProperties,
  prefixItems,
  properties,
  propertyNames,
} from './part-rules.ts';
import {
  above,
  all,
  atLeast,
  atMost,
  below,
  bound,
  charactersOf,
  constant,
  dependentRequired,
  itself,
  type JsonSchema,
  lengthOf,
  type MatchesPattern,
  membersOf,
  multipleOf,
  oneOfValues,
  type PartCompiler,
  pattern,
  report,
  required,
  type SchemaCheck,
  type ShapeError,
  TYPES,
  uniqueItems,
  wrongType,
} from './rules.ts';

/** `pointer`: to a part of the schema. `first`: stop at the first error. */
interface ValidatorOptions {
  readonly pointer?: string;
  readonly first?: boolean;
  readonly limits?: CheckLimits;
}

/** Bounds the cost of a schema that somebody else wrote: each throws to end the validation. */
export interface CheckLimits {
  readonly matches: MatchesPattern;
  /** Called before a referenced schema is checked: a few references to references are millions of checks. */
  readonly onReference: () => void;
}

/** `readSchema` is called when the first value is validated. */
export function createValidator(
  readSchema: () => JsonSchema | boolean,
  { pointer = '', first = false, limits }: ValidatorOptions = {},
): Validator {
  let check: SchemaCheck | undefined;
  const validate: Validator = (value) => {
    check ??= compileRoot(readSchema(), pointer, limits);
    const errors: ShapeError[] = [];
    const valid = check(value, { path: [], errors, first });
    validate.errors = valid ? null : errors;
    return valid;
  };
  return validate;
}

function compileRoot(root: JsonSchema | boolean, pointer: string, limits?: CheckLimits): SchemaCheck {
  /** The definitions by their reference, compiled when first used: they may refer to each other. */
  const compiled = new Map<string, SchemaCheck>();
  const parts: PartCompiler = {
    compile: (schema) => compile(schema, parts),
    refer: (reference) => {
      const known = compiled.get(reference);
      if (known !== undefined) return known;
      const schema = referTo(reference, root);
      if (schema === undefined) throw new Error(`The schema has no ${reference}.`);
      const check = limited(compile(schema, parts), limits);
      compiled.set(reference, check);
      return check;
    },
    matches: limits?.matches ?? ((expression, text) => expression.test(text)),
  };
  return parts.refer(`#${pointer}`);
}

function limited(check: SchemaCheck, limits: CheckLimits | undefined): SchemaCheck {
  if (limits === undefined) return check;
  return (value, run) => {
    limits.onReference();
    return check(value, run);
  };
}

/** The part of a schema that a reference within it leads to. */
export function referTo(reference: string, root: unknown): unknown {
  return pathOfReference(reference).reduce<unknown>(
    (part, name) => (typeof part === 'object' && part !== null ? memberOf(part as JsonSchema, name) : undefined),
    root,
  );
}

/** Pointers in references are fragments of addresses: `#/$defs/a%20b`. */
export function pathOfReference(reference: string): readonly string[] {
  return fromPointer(decodeURIComponent(reference.slice(1)));
}

type SchemaRule = (schema: JsonSchema, parts: PartCompiler) => SchemaCheck;
type CheckedType = 'number' | 'string' | 'array' | 'object';

/** The rules by the type of the values that they are about, in the order in which ajv applies them. */
const RULES: readonly { readonly type?: CheckedType; readonly rules: Readonly<Record<string, SchemaRule>> }[] = [
  {
    type: 'number',
    rules: {
      maximum: bound('maximum', itself, atMost),
      minimum: bound('minimum', itself, atLeast),
      exclusiveMaximum: bound('exclusiveMaximum', itself, below),
      exclusiveMinimum: bound('exclusiveMinimum', itself, above),
      multipleOf,
    },
  },
  {
    type: 'string',
    rules: {
      maxLength: bound('maxLength', charactersOf, atMost),
      minLength: bound('minLength', charactersOf, atLeast),
      pattern,
    },
  },
  { rules: { $ref, const: constant, enum: oneOfValues, not, anyOf, oneOf, allOf, if: conditional } },
  {
    type: 'array',
    rules: {
      maxItems: bound('maxItems', lengthOf, atMost),
      minItems: bound('minItems', lengthOf, atLeast),
      uniqueItems,
      prefixItems,
      items,
    },
  },
  {
    type: 'object',
    rules: {
      maxProperties: bound('maxProperties', membersOf, atMost),
      minProperties: bound('minProperties', membersOf, atLeast),
      ...{ required, dependentRequired, propertyNames, additionalProperties, properties, patternProperties },
    },
  },
];

/** The keywords that rule no value out. */
export const ANNOTATIONS: readonly string[] = [
  ...['$comment', 'contentEncoding', 'contentMediaType', 'default', 'deprecated', 'description', 'examples', 'format'],
  ...['readOnly', 'title', 'writeOnly'],
];

/** All keywords that may be in a schema. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...RULES.flatMap(({ rules }) => Object.keys(rules)),
  ...['type', 'then', 'else', 'additionalItems', '$defs', 'definitions', '$schema', '$id'],
  ...ANNOTATIONS,
]);

function compile(schema: unknown, parts: PartCompiler): SchemaCheck {
  if (schema === true) return () => true;
  if (schema === false) return (data, run) => report(run, { keyword: 'false schema', params: {}, data });
  const given = schema as JsonSchema;
  for (const keyword of Object.keys(given))
    if (!KEYWORDS.has(keyword)) throw new Error(`The keyword ${keyword} is unknown.`);
  return all([...typeRule(given), ...RULES.flatMap((group) => groupRules(given, group, parts))]);
}

/** A single type with rules about its values is checked with them. */
function typeRule(schema: JsonSchema): SchemaCheck[] {
  const types = typesOf(schema);
  if (types.length === 0 || isCheckedWithRules(schema, types)) return [];
  const tests = types.map((type) => TYPES[type as keyof typeof TYPES]);
  return [(value, run) => tests.some((test) => test(value)) || wrongType(schema, value, run)];
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : ((Array.isArray(type) ? type : [type]) as readonly string[]);
}

function isCheckedWithRules(schema: JsonSchema, types: readonly string[]): boolean {
  const group = RULES.find(({ type }) => types.length === 1 && type === types[0]);
  return group !== undefined && Object.keys(group.rules).some((keyword) => Object.hasOwn(schema, keyword));
}

function groupRules(schema: JsonSchema, { type, rules }: (typeof RULES)[number], parts: PartCompiler): SchemaCheck[] {
  const checks = Object.entries(rules).flatMap(([keyword, rule]) =>
    Object.hasOwn(schema, keyword) ? [rule(schema, parts)] : [],
  );
  if (type === undefined || checks.length === 0) return checks;
  const isOfType = TYPES[type];
  const types = typesOf(schema);
  const demanded = types.length === 1 && types[0] === type;
  const check = all(checks);
  return [(value, run) => (isOfType(value) ? check(value, run) : !demanded || wrongType(schema, value, run))];
}
