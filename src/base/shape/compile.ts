/** Checks of values against schemas that users write, made by ajv within limits. It is loaded only where a declaration names a schema. */

import { Ajv, type KeywordDefinition, type Schema, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { callRef } from 'ajv/dist/vocabularies/core/ref.js';
import { decimalParts } from '../exact-number.ts';
import { canonicalText, jsonEquals, type JsonValue } from '../json.ts';
import { searchRegex } from '../search-regex.ts';
import type { ShapeError } from './check.ts';
import { countParts, dialectOf, referTo, withoutWords } from './user-schema.ts';

/** The errors of a value, none if it matches; `undefined` if the check takes too long. */
export type CheckValue = (value: JsonValue) => readonly ShapeError[] | undefined;

/** The most references that one value may follow: each may lead to two more, so that a schema of 1 KB would take years. */
const MOST_REFERENCES = 100_000;

/** The most parts that are compiled: a part is compiled again within each part that a reference leads to. */
const MOST_COMPILED = 5_000;

/** Ends a check that one pattern or a few references would hold up, perhaps on purpose. */
class TooCostly extends Error {}

/** `schema`: one without faults. */
export function compileSchema(schema: JsonValue): CheckValue {
  const root = withoutWords(schema);
  const compiler = new (dialectOf(schema) === '2020-12' ? Ajv2020 : Ajv)({
    ...{ allErrors: true, verbose: true, messages: false, ownProperties: true, validateFormats: false },
    ...{ strict: false, meta: false, validateSchema: false, logger: false },
    code: { optimize: false, regExp: Object.assign(createPattern, { code: '' }) },
  });
  // For keywords that no schema has here.
  compiler.opts.unevaluated = false;
  let references = 0;
  let parts = 0;
  const known = new Map<JsonValue, ValidateFunction>();
  const compile = (part: JsonValue): ValidateFunction => {
    const made = known.get(part);
    if (made !== undefined) return made;
    parts += countParts(part);
    if (parts > MOST_COMPILED) throw new TooCostly();
    const check = compiler.compile(part as Schema);
    known.set(part, check);
    return check;
  };
  /** Compiles what it refers to when a value needs it: a chain of references would exhaust the stack of the compiler. */
  const refer = (reference: string): object => {
    const part = referTo(reference, root);
    const follow = (...given: Parameters<ValidateFunction>): boolean => {
      references += 1;
      if (references > MOST_REFERENCES) throw new TooCostly();
      const check = compile(part);
      const isValid = check(...given);
      follow.errors = check.errors;
      return isValid;
    };
    follow.errors = undefined as ValidateFunction['errors'];
    return follow;
  };
  const reference: KeywordDefinition = {
    keyword: '$ref',
    before: 'not',
    code: (context) => callRef(context, context.gen.scopeValue('validate', { ref: refer(context.schema as string) })),
  };
  for (const own of [reference, ...OWN]) compiler.removeKeyword(own.keyword as string).addKeyword(own);
  return (value) => {
    references = 0;
    try {
      const check = compile(root);
      return check(value) ? [] : (check.errors ?? []);
    } catch (error) {
      // References to references may exhaust the stack.
      if (error instanceof TooCostly || error instanceof RangeError) return undefined;
      throw error;
    }
  };
}

function createPattern(
  source: string,
  flags: string,
): { readonly test: (text: string) => boolean; readonly toString: () => string } {
  const expression = new RegExp(source, flags);
  return {
    test: (text) => {
      const found = searchRegex(expression, text);
      if (found === undefined) throw new TooCostly();
      return found;
    },
    // Patterns with one text are one for ajv.
    toString: () => expression.toString(),
  };
}

/** What ajv judges otherwise: it divides doubles, compares each element with each, and calls a member named `valueOf`. */
const OWN: readonly KeywordDefinition[] = [
  {
    keyword: 'multipleOf',
    type: 'number',
    errors: false,
    compile: (step: number) => (value: number) => isMultiple(value, step),
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    errors: false,
    compile: (isDemanded: boolean) => (value: readonly JsonValue[]) =>
      !isDemanded || new Set(value.map(canonicalText)).size === value.length,
  },
  {
    keyword: 'const',
    before: 'not',
    errors: false,
    compile: (allowed: JsonValue) => (value: JsonValue) => jsonEquals(value, allowed),
  },
  {
    keyword: 'enum',
    before: 'not',
    errors: false,
    compile: (values: readonly JsonValue[]) => {
      const allowed = new Set(values);
      const parts = values.filter((value) => typeof value === 'object' && value !== null);
      return (value: JsonValue) => allowed.has(value) || parts.some((one) => jsonEquals(value, one));
    },
  },
];

/** Decimals are compared as they are written, since 19.99 / 0.01 is no integer. */
function isMultiple(value: number, step: number): boolean {
  const [a, b] = [decimalParts(value), decimalParts(step)];
  const scale = Math.min(a.scale, b.scale);
  const [whole, divisor] = [a, b].map((part) => part.digits * 10n ** BigInt(part.scale - scale)) as [bigint, bigint];
  return whole % divisor === 0n;
}
