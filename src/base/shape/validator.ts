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
  type SchemaCheck,
  type CheckRun,
  type JsonSchema,
} from './rules.ts';

/** `pointer`: to a part of the schema. `first`: stop at the first error. */
interface ValidatorOptions {
  readonly pointer?: string;
  readonly first?: boolean;
}

/** `readSchema` is called when the first value is validated. */
export function createValidator(
  readSchema: () => JsonSchema,
  { pointer = '', first = false }: ValidatorOptions = {},
): Validator {
  let check: SchemaCheck | undefined;
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
interface CompiledSchemas {
  readonly root: JsonSchema;
  readonly compiled: Map<string, SchemaCheck>;
}

function compileRoot(root: JsonSchema, pointer: string): SchemaCheck {
  return compileReference(`#${pointer}`, { root, compiled: new Map() });
}

function compileReference(reference: string, definitions: CompiledSchemas): SchemaCheck {
  const known = definitions.compiled.get(reference);
  if (known !== undefined) return known;
  const schema = fromPointer(reference.slice(1)).reduce<unknown>(
    (part, name) => (part === undefined ? undefined : memberOf(part as JsonSchema, name)),
    definitions.root,
  );
  if (schema === undefined) throw new Error(`The schema has no ${reference}.`);
  const check = compile(schema, definitions);
  definitions.compiled.set(reference, check);
  return check;
}

type SchemaRule = (schema: JsonSchema, definitions: CompiledSchemas) => SchemaCheck;
type CheckedType = 'number' | 'string' | 'array' | 'object';

/** The rules by the type of the values that they are about, in the order in which ajv applies them. */
const RULES: readonly { readonly type?: CheckedType; readonly rules: Readonly<Record<string, SchemaRule>> }[] = [
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

function compile(schema: unknown, definitions: CompiledSchemas): SchemaCheck {
  if (schema === true) return () => true;
  if (schema === false) return (data, run) => report(run, { keyword: 'false schema', params: {}, data });
  const given = schema as JsonSchema;
  for (const keyword of Object.keys(given))
    if (!KNOWN.has(keyword)) throw new Error(`The keyword ${keyword} is unknown.`);
  return all([...typeRule(given), ...RULES.flatMap((group) => groupRules(given, group, definitions))]);
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

function groupRules(
  schema: JsonSchema,
  { type, rules }: (typeof RULES)[number],
  definitions: CompiledSchemas,
): SchemaCheck[] {
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

function $ref(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (value, run) => {
    check ??= compileReference(schema['$ref'] as string, definitions);
    return check(value, run);
  };
}

function not(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const check = compile(schema['not'], definitions);
  return (value, run) =>
    !check(value, withoutErrors(run)) || report(run, { keyword: 'not', params: {}, data: value, parentSchema: schema });
}

function withoutErrors({ path }: CheckRun): CheckRun {
  return { path, first: true };
}

function anyOf(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const checks = compileList(schema['anyOf'], definitions);
  return (value, run) => {
    const before = run.errors?.length ?? 0;
    for (const check of checks) if (check(value, run)) return forget(run, before);
    return report(run, { keyword: 'anyOf', params: {}, data: value, parentSchema: schema });
  };
}

function oneOf(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
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
function forget({ errors }: CheckRun, length: number): true {
  if (errors !== undefined) errors.length = length;
  return true;
}

function allOf(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  return all(compileList(schema['allOf'], definitions));
}

function compileList(schemas: unknown, definitions: CompiledSchemas): readonly SchemaCheck[] {
  return (schemas as readonly unknown[]).map((schema) => compile(schema, definitions));
}

function conditional(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const [condition, then, otherwise] = [schema['if'], schema['then'] ?? true, schema['else'] ?? true].map((part) =>
    compile(part, definitions),
  ) as [SchemaCheck, SchemaCheck, SchemaCheck];
  return (value, run) => {
    const holds = condition(value, withoutErrors(run));
    if ((holds ? then : otherwise)(value, run)) return true;
    const params = { failingKeyword: holds ? 'then' : 'else' };
    return report(run, { keyword: 'if', params, data: value, parentSchema: schema });
  };
}

function items(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const check = partCheck(schema['items'], definitions);
  return (value, run) => everyPart(value as readonly unknown[], run, (element, index) => check(element, index, run));
}

type PartCheck = (part: unknown, key: string | number, run: CheckRun) => boolean;

/** Checks a member or an element. */
function partCheck(schema: unknown, definitions: CompiledSchemas): PartCheck {
  const check = compile(schema, definitions);
  return (part, key, run) => {
    run.path.push(key);
    const valid = check(part, run);
    run.path.pop();
    return valid;
  };
}

function propertyNames(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const check = compile(schema['propertyNames'], definitions);
  return (value, run) =>
    everyPart(
      Object.keys(value as JsonSchema),
      run,
      (propertyName) =>
        check(propertyName, { ...run, propertyName }) ||
        report(run, { keyword: 'propertyNames', params: { propertyName }, data: value, parentSchema: schema }),
    );
}

function additionalProperties(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const named = new Set(Object.keys((schema['properties'] ?? {}) as JsonSchema));
  const patterns = patternsOf(schema);
  const check =
    schema['additionalProperties'] === false ? undefined : partCheck(schema['additionalProperties'], definitions);
  const isAdditional = (name: string): boolean =>
    !named.has(name) && (patterns.length === 0 || !patterns.some((one) => one.test(name)));
  return (value, run) =>
    everyPart(Object.keys(value as JsonSchema), run, (name) => {
      if (!isAdditional(name)) return true;
      if (check !== undefined) return check(memberOf(value as JsonSchema, name), name, run);
      const params = { additionalProperty: name };
      return report(run, { keyword: 'additionalProperties', params, data: value, parentSchema: schema });
    });
}

function patternsOf(schema: JsonSchema): readonly RegExp[] {
  return Object.keys((schema['patternProperties'] ?? {}) as JsonSchema).map((source) => new RegExp(source, 'u'));
}

function properties(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const names = Object.keys(schema['properties'] as JsonSchema);
  const checks = Object.values(schema['properties'] as JsonSchema).map((part) => partCheck(part, definitions));
  return (value, run) =>
    everyPart(names, run, (name, index) => {
      const member = memberOf(value as JsonSchema, name);
      return member === undefined || (checks[index] as PartCheck)(member, name, run);
    });
}

function patternProperties(schema: JsonSchema, definitions: CompiledSchemas): SchemaCheck {
  const checks = Object.values(schema['patternProperties'] as JsonSchema).map((part) => partCheck(part, definitions));
  const patterns = patternsOf(schema);
  return (value, run) =>
    everyPart(patterns, run, (expression, index) =>
      everyPart(
        Object.keys(value as JsonSchema),
        run,
        (name) =>
          !expression.test(name) || (checks[index] as PartCheck)(memberOf(value as JsonSchema, name), name, run),
      ),
    );
}
