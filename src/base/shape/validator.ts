/** Validates values against a JSON Schema as ajv does, with the keywords that our schemas use: the same errors in the same order. */

import { memberOf } from '../json.ts';
import { fromPointer } from '../json-pointer.ts';
import type { ShapeError, Validator } from './check.ts';
import {
  all,
  bound,
  constant,
  everyPart,
  itself,
  lengthOf,
  oneOfValues,
  pattern,
  report,
  required,
  TYPES,
  wrongType,
  type Check,
  type Run,
  type Schema,
} from './rules.ts';

/** `pointer`: to a part of the schema. `first`: stop at the first error. */
interface ValidatorOptions {
  readonly pointer?: string;
  readonly first?: boolean;
}

/** `readSchema` is called when the first value is validated. */
export function createValidator(
  readSchema: () => Schema,
  { pointer = '', first = false }: ValidatorOptions = {},
): Validator {
  let check: Check | undefined;
  const validate: Validator = (value) => {
    check ??= compileRoot(readSchema(), pointer);
    const errors: ShapeError[] = [];
    const valid = check(value, { path: [], errors, first });
    validate.errors = valid ? null : errors;
    return valid;
  };
  return validate;
}

/** The definitions by their reference, compiled when first used: they may refer to each other. */
interface Definitions {
  readonly root: Schema;
  readonly compiled: Map<string, Check>;
}

function compileRoot(root: Schema, pointer: string): Check {
  return compileReference(`#${pointer}`, { root, compiled: new Map() });
}

function compileReference(reference: string, definitions: Definitions): Check {
  const known = definitions.compiled.get(reference);
  if (known !== undefined) return known;
  const schema = fromPointer(reference.slice(1)).reduce<unknown>(
    (part, name) => (part === undefined ? undefined : memberOf(part as Schema, name)),
    definitions.root,
  );
  if (schema === undefined) throw new Error(`The schema has no ${reference}.`);
  const check = compile(schema, definitions);
  definitions.compiled.set(reference, check);
  return check;
}

type Rule = (schema: Schema, definitions: Definitions) => Check;
type TypeName = 'number' | 'string' | 'array' | 'object';

/** The rules by the type of the values that they are about, in the order in which ajv applies them. */
const RULES: readonly { readonly type?: TypeName; readonly rules: Readonly<Record<string, Rule>> }[] = [
  { type: 'number', rules: { maximum: bound('maximum', itself, true), minimum: bound('minimum', itself, false) } },
  {
    type: 'string',
    rules: { maxLength: bound('maxLength', lengthOf, true), minLength: bound('minLength', lengthOf, false), pattern },
  },
  { rules: { $ref, const: constant, enum: oneOfValues, not, anyOf, oneOf, allOf, if: conditional } },
  {
    type: 'array',
    rules: { maxItems: bound('maxItems', lengthOf, true), minItems: bound('minItems', lengthOf, false), items },
  },
  { type: 'object', rules: { required, propertyNames, additionalProperties, properties, patternProperties } },
];

const KNOWN: ReadonlySet<string> = new Set([
  ...RULES.flatMap(({ rules }) => Object.keys(rules)),
  ...['type', 'then', 'else', '$defs', '$schema', '$id', 'examples'],
]);

function compile(schema: unknown, definitions: Definitions): Check {
  if (schema === true) return () => true;
  if (schema === false) return (data, run) => report(run, { keyword: 'false schema', params: {}, data });
  const given = schema as Schema;
  for (const keyword of Object.keys(given))
    if (!KNOWN.has(keyword)) throw new Error(`The keyword ${keyword} is unknown.`);
  return all([...typeRule(given), ...RULES.flatMap((group) => groupRules(given, group, definitions))]);
}

/** A single type with rules about its values is checked with them. */
function typeRule(schema: Schema): Check[] {
  const types = typesOf(schema);
  if (types.length === 0 || isCheckedWithRules(schema, types)) return [];
  const tests = types.map((type) => TYPES[type as keyof typeof TYPES]);
  return [(value, run) => tests.some((test) => test(value)) || wrongType(schema, value, run)];
}

function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : ((Array.isArray(type) ? type : [type]) as readonly string[]);
}

function isCheckedWithRules(schema: Schema, types: readonly string[]): boolean {
  const group = RULES.find(({ type }) => types.length === 1 && type === types[0]);
  return group !== undefined && Object.keys(group.rules).some((keyword) => Object.hasOwn(schema, keyword));
}

function groupRules(schema: Schema, { type, rules }: (typeof RULES)[number], definitions: Definitions): Check[] {
  const checks = Object.entries(rules).flatMap(([keyword, rule]) =>
    Object.hasOwn(schema, keyword) ? [rule(schema, definitions)] : [],
  );
  if (type === undefined || checks.length === 0) return checks;
  const isOfType = TYPES[type];
  const types = typesOf(schema);
  const demanded = types.length === 1 && types[0] === type;
  const check = all(checks);
  return [(value, run) => (isOfType(value) ? check(value, run) : !demanded || wrongType(schema, value, run))];
}

function $ref(schema: Schema, definitions: Definitions): Check {
  let check: Check | undefined;
  return (value, run) => {
    check ??= compileReference(schema['$ref'] as string, definitions);
    return check(value, run);
  };
}

function not(schema: Schema, definitions: Definitions): Check {
  const check = compile(schema['not'], definitions);
  return (value, run) =>
    !check(value, withoutErrors(run)) || report(run, { keyword: 'not', params: {}, data: value, parentSchema: schema });
}

function withoutErrors({ path }: Run): Run {
  return { path, first: true };
}

function anyOf(schema: Schema, definitions: Definitions): Check {
  const checks = compileList(schema['anyOf'], definitions);
  return (value, run) => {
    const before = run.errors?.length ?? 0;
    for (const check of checks) if (check(value, run)) return forget(run, before);
    return report(run, { keyword: 'anyOf', params: {}, data: value, parentSchema: schema });
  };
}

function oneOf(schema: Schema, definitions: Definitions): Check {
  const checks = compileList(schema['oneOf'], definitions);
  return (value, run) => {
    const before = run.errors?.length ?? 0;
    const passingSchemas: number[] = [];
    for (const [index, check] of checks.entries()) {
      if (check(value, run)) passingSchemas.push(index);
      if (passingSchemas.length > 1) break;
    }
    if (passingSchemas.length === 1) return forget(run, before);
    const params = { passingSchemas: passingSchemas.length === 0 ? null : passingSchemas };
    return report(run, { keyword: 'oneOf', params, data: value, parentSchema: schema });
  };
}

/** Drops the reasons why other alternatives do not fit. */
function forget({ errors }: Run, length: number): true {
  if (errors !== undefined) errors.length = length;
  return true;
}

function allOf(schema: Schema, definitions: Definitions): Check {
  return all(compileList(schema['allOf'], definitions));
}

function compileList(schemas: unknown, definitions: Definitions): readonly Check[] {
  return (schemas as readonly unknown[]).map((schema) => compile(schema, definitions));
}

function conditional(schema: Schema, definitions: Definitions): Check {
  const [condition, then, otherwise] = [schema['if'], schema['then'] ?? true, schema['else'] ?? true].map((part) =>
    compile(part, definitions),
  ) as [Check, Check, Check];
  return (value, run) => {
    const holds = condition(value, withoutErrors(run));
    if ((holds ? then : otherwise)(value, run)) return true;
    const params = { failingKeyword: holds ? 'then' : 'else' };
    return report(run, { keyword: 'if', params, data: value, parentSchema: schema });
  };
}

function items(schema: Schema, definitions: Definitions): Check {
  const check = partCheck(schema['items'], definitions);
  return (value, run) => everyPart(value as readonly unknown[], run, (element, index) => check(element, index, run));
}

type PartCheck = (part: unknown, key: string | number, run: Run) => boolean;

/** Checks a member or an element. */
function partCheck(schema: unknown, definitions: Definitions): PartCheck {
  const check = compile(schema, definitions);
  return (part, key, run) => {
    run.path.push(key);
    const valid = check(part, run);
    run.path.pop();
    return valid;
  };
}

function propertyNames(schema: Schema, definitions: Definitions): Check {
  const check = compile(schema['propertyNames'], definitions);
  return (value, run) =>
    everyPart(
      Object.keys(value as Schema),
      run,
      (propertyName) =>
        check(propertyName, { ...run, propertyName }) ||
        report(run, { keyword: 'propertyNames', params: { propertyName }, data: value, parentSchema: schema }),
    );
}

function additionalProperties(schema: Schema, definitions: Definitions): Check {
  const named = new Set(Object.keys((schema['properties'] ?? {}) as Schema));
  const patterns = patternsOf(schema);
  const check =
    schema['additionalProperties'] === false ? undefined : partCheck(schema['additionalProperties'], definitions);
  const isAdditional = (name: string): boolean =>
    !named.has(name) && (patterns.length === 0 || !patterns.some((one) => one.test(name)));
  return (value, run) =>
    everyPart(Object.keys(value as Schema), run, (name) => {
      if (!isAdditional(name)) return true;
      if (check !== undefined) return check(memberOf(value as Schema, name), name, run);
      const params = { additionalProperty: name };
      return report(run, { keyword: 'additionalProperties', params, data: value, parentSchema: schema });
    });
}

function patternsOf(schema: Schema): readonly RegExp[] {
  return Object.keys((schema['patternProperties'] ?? {}) as Schema).map((source) => new RegExp(source, 'u'));
}

function properties(schema: Schema, definitions: Definitions): Check {
  const names = Object.keys(schema['properties'] as Schema);
  const checks = Object.values(schema['properties'] as Schema).map((part) => partCheck(part, definitions));
  return (value, run) =>
    everyPart(names, run, (name, index) => {
      const member = memberOf(value as Schema, name);
      return member === undefined || (checks[index] as PartCheck)(member, name, run);
    });
}

function patternProperties(schema: Schema, definitions: Definitions): Check {
  const checks = Object.values(schema['patternProperties'] as Schema).map((part) => partCheck(part, definitions));
  const patterns = patternsOf(schema);
  return (value, run) =>
    everyPart(patterns, run, (expression, index) =>
      everyPart(
        Object.keys(value as Schema),
        run,
        (name) => !expression.test(name) || (checks[index] as PartCheck)(memberOf(value as Schema, name), name, run),
      ),
    );
}
