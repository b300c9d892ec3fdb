/** The rules of JSON Schema that judge the same value by other schemas. */

import { all, report, type CheckRun, type JsonSchema, type PartCompiler, type SchemaCheck } from './rules.ts';

export function $ref(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (value, run) => {
    check ??= parts.refer(schema['$ref'] as string);
    return check(value, run);
  };
}

export function not(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const check = parts.compile(schema['not']);
  return (value, run) =>
    !check(value, withoutErrors(run)) || report(run, { keyword: 'not', params: {}, data: value, parentSchema: schema });
}

function withoutErrors({ path }: CheckRun): CheckRun {
  return { path, first: true };
}

export function anyOf(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const checks = compileList(schema['anyOf'], parts);
  return (value, run) => {
    const before = run.errors?.length ?? 0;
    for (const check of checks) if (check(value, run)) return forget(run, before);
    return report(run, { keyword: 'anyOf', params: {}, data: value, parentSchema: schema });
  };
}

export function oneOf(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const checks = compileList(schema['oneOf'], parts);
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

export function allOf(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  return all(compileList(schema['allOf'], parts));
}

function compileList(schemas: unknown, parts: PartCompiler): readonly SchemaCheck[] {
  return (schemas as readonly unknown[]).map((schema) => parts.compile(schema));
}

export function conditional(schema: JsonSchema, parts: PartCompiler): SchemaCheck {
  const [condition, then, otherwise] = [schema['if'], schema['then'] ?? true, schema['else'] ?? true].map((part) =>
    parts.compile(part),
  ) as [SchemaCheck, SchemaCheck, SchemaCheck];
  return (value, run) => {
    const holds = condition(value, withoutErrors(run));
    if ((holds ? then : otherwise)(value, run)) return true;
    const params = { failingKeyword: holds ? 'then' : 'else' };
    return report(run, { keyword: 'if', params, data: value, parentSchema: schema });
  };
}
