/** The rules of JSON Schema about the elements and the members of a value. */

import { memberOf } from '../json.ts';
import {
  all,
  everyPart,
  report,
  type CheckRun,
  type JsonSchema,
  type PartCompiler,
  type SchemaCheck,
} from './rules.ts';

export function prefixItems(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const { first } = elementsOf(schema);
  const checks = first.map((element) => partCheck(element, parts));
  return (value, run) =>
    everyPart(
      checks,
      run,
      (check, index) =>
        index >= (value as readonly unknown[]).length || check((value as readonly unknown[])[index], index, run),
    );
}

/** Draft 7 has a list in `items` where draft 2020-12 has `prefixItems`. */
export function items(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const { first, rest } = elementsOf(schema);
  const check = partCheck(rest, parts);
  const others: SchemaCheck = (value, run) =>
    everyPart(value as readonly unknown[], run, (element, index) => index < first.length || check(element, index, run));
  return Array.isArray(schema['items']) ? all([prefixItems(schema, parts), others]) : others;
}

/** The schemas of the first elements, and that of all others. */
export function elementsOf({ prefixItems: first, items: rest, additionalItems }: JsonSchema): {
  readonly first: readonly unknown[];
  readonly rest: unknown;
} {
  if (Array.isArray(rest)) return { first: rest, rest: additionalItems ?? true };
  return { first: (first ?? []) as readonly unknown[], rest: rest ?? true };
}

type PartCheck = (part: unknown, key: string | number, run: CheckRun) => boolean;

/** Checks a member or an element. */
function partCheck(schema: unknown, parts: PartCompiler): PartCheck {
  const check = parts.compile(schema);
  return (part, key, run) => {
    run.path.push(key);
    const valid = check(part, run);
    run.path.pop();
    return valid;
  };
}

export function propertyNames(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const check = parts.compile(schema['propertyNames']);
  return (value, run) =>
    everyPart(
      Object.keys(value as JsonSchema),
      run,
      (propertyName) =>
        check(propertyName, { ...run, propertyName }) ||
        report(run, { keyword: 'propertyNames', params: { propertyName }, data: value, parentSchema: schema }),
    );
}

export function additionalProperties(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const named = new Set(Object.keys((schema['properties'] ?? {}) as JsonSchema));
  const patterns = patternsOf(schema);
  const check = schema['additionalProperties'] === false ? undefined : partCheck(schema['additionalProperties'], parts);
  const isAdditional = (name: string): boolean =>
    !named.has(name) && (patterns.length === 0 || !patterns.some((one) => parts.matches(one, name)));
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

export function properties(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const names = Object.keys(schema['properties'] as JsonSchema);
  const checks = Object.values(schema['properties'] as JsonSchema).map((part) => partCheck(part, parts));
  return (value, run) =>
    everyPart(names, run, (name, index) => {
      const member = memberOf(value as JsonSchema, name);
      return member === undefined || (checks[index] as PartCheck)(member, name, run);
    });
}

export function patternProperties(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const checks = Object.values(schema['patternProperties'] as JsonSchema).map((part) => partCheck(part, parts));
  const patterns = patternsOf(schema);
  return (value, run) =>
    everyPart(patterns, run, (expression, index) =>
      everyPart(
        Object.keys(value as JsonSchema),
        run,
        (name) =>
          !parts.matches(expression, name) ||
          (checks[index] as PartCheck)(memberOf(value as JsonSchema, name), name, run),
      ),
    );
}
