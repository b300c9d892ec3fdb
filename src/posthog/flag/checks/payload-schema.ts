/** Checks the payloads of a flag against the JSON Schema that its declaration names. */

import { parseAsDoubles, plainText, stringifyJson } from '../../../base/json-text.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import {
  DEEPEST_NESTING,
  definedKeys,
  isJsonObject,
  memberOf,
  nestsWithin,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ShapeError } from '../../../base/shape/check.ts';
import type { CheckValue } from '../../../base/shape/compile.ts';
import { findSchemaFaults, type SchemaFault } from '../../../base/shape/user-schema.ts';
import type { NamedFile, Soundness } from '../../../core/manifest/declaration.ts';
import type { PayloadSchema } from '../../desired.ts';
import { ENCRYPTED_PAYLOAD, hasEncryptedPayloads, payloadsOf } from '../model/encrypted-payloads.ts';
import { TOO_COSTLY, TOO_DEEP, type FlagFinding } from './problems.ts';

/** The member of a declared flag that names the schema. */
export const PAYLOAD_SCHEMA = 'payload_schema';

const AT = `/${PAYLOAD_SCHEMA}`;

export interface UsablePayloadSchema extends PayloadSchema {
  readonly check: CheckValue;
}

/** `undefined` for a file that cannot be used. */
export function payloadSchemaOf(named: NamedFile): UsablePayloadSchema | undefined {
  if (!('value' in named)) return undefined;
  const { check } = readNamed(named);
  return check && { file: named.file, schema: named.value, check };
}

/** Why a schema cannot be used. Pointers are in the manifest's names. */
export function checkPayloadSchema(named: NamedFile): FlagFinding[] {
  const { file: schema } = named;
  const found = { severity: 'error', at: AT } as const;
  if ('unreadable' in named)
    return [{ ...found, code: 'payload-schema-unreadable', args: { schema, reason: named.unreadable } }];
  if ('notJson' in named) return [{ ...found, code: 'payload-schema-not-json', args: { schema, ...named.notJson } }];
  return readNamed(named).faults.map(({ at, ...fault }) => ({
    ...found,
    code: 'payload-schema-invalid',
    args: { schema, at, ...fault },
  }));
}

interface ReadSchema {
  readonly faults: readonly SchemaFault[];
  /** Absent if there are faults. */
  readonly check?: CheckValue;
}

const read = new WeakMap<NamedFile, ReadSchema>();

function readNamed(named: Extract<NamedFile, { readonly value: JsonValue }>): ReadSchema {
  const known = read.get(named);
  if (known !== undefined) return known;
  const faults = findSchemaFaults(named.value);
  const found = faults.length > 0 ? { faults } : { faults, check: named.compile(named.value) };
  read.set(named, found);
  return found;
}

/** Whether the payloads of these fields are secrets, which are not read. Pointers are in the manifest's names. */
export function checkReadable({ file }: PayloadSchema, fields: JsonObject): FlagFinding[] {
  const payloads = definedKeys(payloadsOf(fields)).filter((name) => isSecret(name, fields));
  return payloads.length === 0
    ? []
    : [{ code: 'payloads-unchecked', severity: 'warning', at: AT, args: { schema: file, payloads } }];
}

function isSecret(name: string, fields: JsonObject): boolean {
  return hasEncryptedPayloads(fields) || memberOf(payloadsOf(fields), name) === ENCRYPTED_PAYLOAD;
}

/** Pointers are in the API's names. */
export function checkAgainstSchema(
  { file, check }: UsablePayloadSchema,
  fields: JsonObject,
  sound: Soundness,
): FlagFinding[] {
  const payloads = payloadsOf(fields);
  return definedKeys(payloads).flatMap((name) => {
    const pointer = `/filters/payloads${toPointer([name])}`;
    const value = asService(memberOf(payloads, name) as JsonValue);
    if (value === undefined || isSecret(name, fields) || !sound.whole(pointer)) return [];
    const mismatch = { code: 'payload-schema-mismatch', severity: 'error' } as const;
    const unchecked = (keyword: string): FlagFinding[] => [
      { ...mismatch, at: pointer, args: { payload: name, schema: file, at: '', keyword } },
    ];
    if (!nestsWithin(value, DEEPEST_NESTING)) return unchecked(TOO_DEEP);
    const errors = check(value);
    if (errors === undefined) return unchecked(TOO_COSTLY);
    const isText = typeof memberOf(payloads, name) === 'string';
    return tellingErrors(errors).map((error) => {
      const found = mismatchOf(error);
      const isMissing = error.params['missingProperty'] !== undefined;
      const at = isText ? '' : isMissing ? error.instancePath : found.at;
      return { ...mismatch, at: pointer + at, args: { payload: name, schema: file, ...found } };
    });
  });
}

/** The payload as code gets it, with doubles for numbers; `undefined` for a string that is not JSON text, which is reported. */
function asService(payload: JsonValue): JsonValue | undefined {
  try {
    return parseAsDoubles(plainText(payload));
  } catch {
    return undefined;
  }
}

/** Leaves out the errors of single alternatives, of which the payload needs only one, and of names. */
function tellingErrors(errors: readonly ShapeError[]): readonly ShapeError[] {
  return errors.reduce<readonly ShapeError[]>((telling, error) => {
    const { keyword, instancePath: path, propertyName } = error;
    if (keyword === 'if' || propertyName !== undefined) return telling;
    // A reference loses that a value is the name of a member; errors of the object itself have the object.
    if (keyword === 'propertyNames')
      return [...telling.filter((other) => other.instancePath !== path || typeof other.data !== 'string'), error];
    if (keyword !== 'anyOf' && keyword !== 'oneOf') return [...telling, error];
    const isWithin = (other: ShapeError): boolean =>
      other.instancePath === path || other.instancePath.startsWith(`${path}/`);
    return [...telling.filter((other) => !isWithin(other)), error];
  }, []);
}

interface Mismatch {
  /** Pointer to the member or element that does not match. */
  readonly at: string;
  readonly keyword: string;
  /** What the keyword demands; absent where it is not short. */
  readonly limit?: string;
}

function mismatchOf({ keyword, instancePath, params, parentSchema = {} }: ShapeError): Mismatch {
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
  const at = instancePath + (typeof name === 'string' ? toPointer([name]) : '');
  const limit = memberOf(parentSchema, keyword);
  const isShort = !isJsonObject(limit) && !(Array.isArray(limit) && limit.some(isJsonObject));
  return { at, keyword, ...defined({ limit: isShort ? stringifyJson(limit) : undefined }) };
}
