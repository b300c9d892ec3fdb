/**
 * What the kinds share whose declarations are fields: the comparison of canonical forms with live state and with a base, and how a change
 * shows the differences.
 */

import { fromPointer } from '../../base/json-pointer.ts';
import { jsonEquals, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../../base/place.ts';
import type { Divergence } from './base.ts';
import type { FieldChange } from './change.ts';
import { diff, type Difference } from './diff.ts';
import {
  classifyAlike,
  classifyAll,
  classifyDelete,
  classifyMissing,
  countAlike,
  withBaseValue,
  type Former,
  type ValueStates,
} from './three-way.ts';

/** What the functions below need from a kind. */
export interface FieldKind<Live> {
  /** Some or all fields in canonical form. Idempotent. */
  readonly canonical: (fields: JsonObject) => JsonObject;
  /** Every field of a live resource that is ever compared, in canonical form. */
  readonly comparable: (live: Live) => JsonObject;
  /** The fields that every declaration implies. */
  readonly implied: JsonObject;
  /** The fields that a declaration which deletes stands for. */
  readonly retired: JsonObject;
  /** Pointers of the values whose parts mean something only together. */
  readonly units: ReadonlySet<string>;
}

type DeclaredFields = { readonly kind: 'declared'; readonly fields: JsonObject } | { readonly kind: 'retired' };

/** The declaration of a resource in the base. */
type FormerFields = Omit<Former, 'base'> & { readonly base?: (DeclaredFields & NonNullable<Former['base']>) | null };

type FieldDifference = Difference & Pick<FieldChange, 'divergence' | 'base'>;

/** Compares a live resource with its wanted fields; ignores other fields. */
export function compareFields<Live>(
  wanted: JsonObject,
  live: Live,
  { canonical, comparable }: FieldKind<Live>,
): Difference[] {
  const [after, before] = [canonical(wanted), comparable(live)];
  return Object.keys(wanted).flatMap((field) => diff(memberOf(before, field), memberOf(after, field), [field]));
}

interface Compared {
  readonly differences: readonly FieldDifference[];
  /** The number of values that the manifests and the service both moved away from the base, to the same value; absent without a base. */
  readonly converged?: number;
}

/** Compares likewise, and gives each difference its class against the base; without a base, none has a class. */
export function compareWithFormer<Live>(
  { wanted, live, former }: { readonly wanted: JsonObject; readonly live: Live; readonly former: FormerFields },
  kind: FieldKind<Live>,
): Compared {
  const differences = compareFields(wanted, live, kind);
  const { base, isOther } = former;
  if (base === undefined) return { differences };
  const alike = (): readonly (FieldDifference & { readonly divergence: Divergence })[] =>
    classifyAlike(differences, defined({ isOther }));
  if (base === null) return { differences: alike().map(withoutUnit), converged: 0 };
  const values = statesOf(base, { wanted, live }, kind);
  const isOne = isOther !== true;
  const classified = isOne ? classifyAll(differences, values) : alike();
  return {
    differences: classified.map((one) => withoutUnit(withBaseValue(one, values.states))),
    converged: isOne ? countAlike(values) : 0,
  };
}

/** Classifies a declared resource that the service lacks. */
export function classifyMissingFields<Live>(
  fields: JsonObject,
  { base }: FormerFields,
  kind: FieldKind<Live>,
): Divergence | undefined {
  return classifyMissing(defined({ base }), () => base?.kind === 'declared' && isSame(base.fields, fields, kind));
}

/** Classifies a live resource that is to be deleted. */
export function classifyEnd<Live>(live: Live, former: FormerFields, kind: FieldKind<Live>): Divergence | undefined {
  const { base } = former;
  return classifyDelete(former, () => base?.kind === 'declared' && compareFields(base.fields, live, kind).length === 0);
}

function statesOf<Live>(
  base: DeclaredFields,
  { wanted, live }: { readonly wanted: JsonObject; readonly live: Live },
  kind: FieldKind<Live>,
): ValueStates {
  const { canonical, comparable, implied, retired, units } = kind;
  const declared = base.kind === 'retired' ? retired : { ...implied, ...base.fields };
  return {
    states: { base: canonical(declared), live: comparable(live), wanted: canonical(wanted) },
    units,
    isDeclared: (pointer) => Object.hasOwn(declared, fieldAt(pointer)),
    isChanged: base.kind === 'retired' || !isSame(base.fields, wanted, kind),
  };
}

/** Whether two declarations mean the same. */
function isSame<Live>(one: JsonObject, other: JsonObject, { canonical, implied }: FieldKind<Live>): boolean {
  return jsonEquals(canonical({ ...implied, ...one }), canonical({ ...implied, ...other }));
}

/** Drops the pointer of the unit that decided the class, which only the comparison needs. */
function withoutUnit({ path, before, after, divergence, base }: FieldDifference): FieldDifference {
  return { path, ...defined({ before, after, divergence, base }) };
}

export interface FieldOutcome<Made, Warning> {
  readonly changes: readonly Made[];
  readonly warnings: readonly Warning[];
  readonly converged?: number;
}

export const NO_OUTCOME: FieldOutcome<never, never> = { changes: [], warnings: [] };

/** The differences that a change of a live resource shows, and the fields that it writes. */
interface ShownDifferences {
  readonly fields: readonly FieldChange[];
  readonly written: readonly string[];
  readonly source: Place;
}

/** The change that makes a live resource as its manifest declares it; none if nothing differs. */
export function changeDifferences<Made>(
  { differences, converged }: Compared,
  places: PlaceTree,
  make: (shown: ShownDifferences) => Made,
): FieldOutcome<Made, never> {
  const counted = { ...NO_OUTCOME, ...defined({ converged }) };
  const [first] = differences;
  if (first === undefined) return counted;
  const fields = differences.map((difference) => ({ ...difference, source: placeAt(places, difference.path) }));
  return {
    ...counted,
    changes: [make({ fields, written: fieldsIn(differences), source: placeAt(places, first.path) })],
  };
}

/** The fields that differ, each once. */
export function fieldsIn(differences: readonly Pick<Difference, 'path'>[]): string[] {
  return [...new Set(differences.map(({ path }) => fieldAt(path)))];
}

/** The field that a pointer leads into. */
export function fieldAt(pointer: string): string {
  return fromPointer(pointer)[0] ?? '';
}

export function pickFields(fields: JsonObject, names: readonly string[]): JsonObject {
  return mixFields({}, fields, names);
}

/** The fields with those of others in place of some. One that the others lack is not managed. */
export function mixFields(own: JsonObject, others: JsonObject | undefined, names: readonly string[]): JsonObject {
  const kept = Object.entries(own).filter(([field]) => !names.includes(field));
  const taken = names.map((field): [string, JsonValue | undefined] => [field, others && memberOf(others, field)]);
  return objectFrom(
    [...kept, ...taken].flatMap(([field, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[field, value]],
    ),
  );
}

/** The later declaration with fields of the earlier one; `undefined` if they cannot be told apart. */
export function mixDeclared<Own extends DeclaredFields>(
  later: Own,
  earlier: Own | undefined,
  names: readonly string[],
): Own | undefined {
  if (later.kind === 'retired') return undefined;
  const then = earlier?.kind === 'declared' ? earlier.fields : undefined;
  return { ...later, fields: mixFields(later.fields, then, names) };
}

export function knownFields(fields: JsonObject, former: JsonObject): JsonObject {
  const known = Object.entries(fields).filter(([field]) => field === 'key' || Object.hasOwn(former, field));
  return objectFrom(known as [string, JsonValue][]);
}
