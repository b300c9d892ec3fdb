/** What code has to know of a flag: what it can answer in any of the projects, and the type of its payloads. */

import { compareStrings } from '../../base/compare-strings.ts';
import { parseJson } from '../../base/json-text.ts';
import { isJsonObject, memberOf, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { findOwnership } from '../../posthog/flag/model/fields.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import { typeOfSchema, isSmall, joinTypes, typeOf, type Type } from './type.ts';

export interface TypedFlag {
  readonly key: string;
  readonly description?: string;
  /** Sorted. */
  readonly tags: readonly string[];
  /** The projects that declare it; absent if all do. */
  readonly onlyIn?: readonly string[];
  /** The variants, sorted, and `true`; `false` is always one more. Absent if the manifests do not decide the answers. */
  readonly answers?: readonly (string | true)[];
  /** Absent without payloads. */
  readonly payload?: Type;
  /** Why the type of the payload is unknown, where the answers are known. */
  readonly untyped?: UntypedReason;
  /** The keywords, sorted, of which its type says less than its schema. */
  readonly wider?: readonly string[];
}

export type UntypedReason = 'encrypted' | 'large' | 'of-others';

export interface TypedProject {
  readonly name: string;
  readonly desired: DesiredState;
}

/** Sorted by key, without the flags that the manifests delete in every project. */
export function typeFlags(projects: readonly TypedProject[]): readonly TypedFlag[] {
  const declared = new Map<string, ProjectFlag[]>();
  for (const { name, desired } of projects) {
    for (const flag of desired.flags) {
      if (flag.kind !== 'declared') continue;
      const known = declared.get(flag.key);
      if (known === undefined) declared.set(flag.key, [{ project: name, flag }]);
      else known.push({ project: name, flag });
    }
  }
  return [...declared]
    .toSorted(([a], [b]) => compareStrings(a, b))
    .map(([key, flags]) => typeFlag(key, flags, projects.length));
}

interface ProjectFlag {
  readonly project: string;
  readonly flag: DeclaredFlag;
}

function typeFlag(key: string, found: readonly ProjectFlag[], projects: number): TypedFlag {
  const flags = found.map(({ flag }) => flag);
  const description = flags.map(({ fields }) => fields['name']).find((name) => typeof name === 'string' && name !== '');
  const tags = flags.flatMap(({ fields: { tags: own } }) => (Array.isArray(own) ? (own as readonly JsonValue[]) : []));
  return {
    key,
    ...(typeof description === 'string' ? { description } : {}),
    tags: sorted(tags.filter((tag) => typeof tag === 'string')),
    ...(found.length === projects ? {} : { onlyIn: sorted(found.map(({ project }) => project)) }),
    ...defined({ answers: joinAnswers(flags) }),
    ...joinPayloads(flags),
  };
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted(compareStrings);
}

/** Whether a flag is active and how far it is rolled out is no part of its type: both change while the code stays. */
function joinAnswers(flags: readonly DeclaredFlag[]): TypedFlag['answers'] {
  const variants = new Set<string>();
  let isPlain = false;
  for (const flag of flags) {
    const own = variantsOf(flag);
    if (own === undefined) return undefined;
    if (own.length === 0) isPlain = true;
    for (const variant of own) variants.add(variant);
  }
  return [...sorted([...variants]), ...(isPlain ? [true as const] : [])];
}

/** `undefined`: the service or its users decide. */
function variantsOf(flag: DeclaredFlag): readonly string[] | undefined {
  const { filters } = flag.fields;
  const { isOpaque, variants } = viewFilters(filters);
  if (!isJsonObject(filters) || isOpaque) return undefined;
  const places = ['/filters/multivariate/variants', ...variants.map(({ at }) => `${at}/key`)];
  return places.some((place) => isOfOthers(flag, place)) ? undefined : variants.map(({ part }) => part.key);
}

function isOfOthers({ ownership = [], fields }: DeclaredFlag, pointer: string): boolean {
  return (findOwnership(ownership, pointer, fields) ?? 'managed') !== 'managed';
}

function joinPayloads(flags: readonly DeclaredFlag[]): Pick<TypedFlag, 'payload' | 'untyped' | 'wider'> {
  if (flags.some((flag) => variantsOf(flag) === undefined)) return { payload: { kind: 'unknown' } };
  const payloads = flags.flatMap(payloadsOf);
  const schema = flags.find((flag) => flag.payloadSchema !== undefined)?.payloadSchema;
  const untyped = payloads.find((one) => typeof one === 'string' && (one !== 'large' || schema === undefined));
  if (typeof untyped === 'string') return { payload: { kind: 'unknown' }, untyped };
  if (schema === undefined && payloads.length === 0) return {};
  const types = payloads.filter((one) => typeof one !== 'string');
  const { type, wider } = schema === undefined ? { type: joinTypes(types), wider: [] } : typeOfSchema(schema.schema);
  if (!isSmall(type)) return { payload: { kind: 'unknown' }, untyped: 'large' };
  return { payload: type, ...(wider.length === 0 ? {} : { wider }) };
}

/** The types of a flag's payloads. An encrypted payload is not read, so even its type is unknown. */
function payloadsOf(flag: DeclaredFlag): readonly (Type | UntypedReason)[] {
  const payloads = objectOrEmpty(objectOrEmpty(flag.fields['filters'])['payloads']);
  if (hasEncryptedPayloads(flag.fields)) return ['encrypted'];
  if (isOfOthers(flag, '/filters/payloads')) return ['of-others'];
  return Object.keys(payloads).flatMap((name): readonly (Type | UntypedReason)[] => {
    if (isOfOthers(flag, `/filters/payloads${toPointer([name])}`)) return ['of-others'];
    const payload = memberOf(payloads, name);
    return payload === undefined ? [] : [typeOf(typeof payload === 'string' ? parseJson(payload) : payload) ?? 'large'];
  });
}
