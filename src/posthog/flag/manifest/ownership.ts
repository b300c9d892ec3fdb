/** Collects the rules for who decides about a declared flag: of the configuration, the flag and its overlay, the weakest first. */

import type { Diagnostic } from '../../../base/diagnostic.ts';
import { isJsonObject, type JsonValue } from '../../../base/json.ts';
import { toPointer, valueAt } from '../../../base/json-pointer.ts';
import { placeAt, type PlaceTree } from '../../../base/place.ts';
import type { Ownership } from '../../../engine/ownership.ts';
import { membersIn } from '../../../manifest/declaration.ts';
import { previousKeysOf } from '../../../manifest/members.ts';
import type { LayeredDeclaration } from '../../../manifest/layers.ts';
import type { Project } from '../../project.ts';
import { checkBounds, checkOwnRule, checkRule } from '../checks/ownership.ts';
import { comparePrecision } from '../../../engine/field-path.ts';
import { parseFieldPath } from '../model/field-path.ts';
import type { OwnershipRule } from '../model/ownership.ts';
import { memberPointer, type FlagFields } from './fields.ts';

export interface ResolvedOwnership {
  /** Absent if there is none. */
  readonly rules?: readonly OwnershipRule[];
  readonly diagnostics: readonly Diagnostic[];
}

export function resolveOwnership(
  { declaration, layer }: LayeredDeclaration,
  { fields, places }: FlagFields,
  project: Project,
): ResolvedOwnership {
  const own = readRules(layer.value['ownership'], layer.places);
  const keys = [layer.key, ...previousKeysOf(declaration)];
  const sets = (project.ownership ?? []).filter(({ matches }) => keys.some(matches));
  if (own.length === 0 && sets.length === 0) return { diagnostics: [] };
  const diagnostics = own.flatMap(({ text, ...read }) => {
    const found = 'rule' in read ? [...checkRule(read.rule), ...checkOwnRule(read.rule, fields)] : [read.problem];
    const at = toPointer(['ownership', text]);
    return found.map((problem) => ({ ...problem, place: placeAt(layer.places, at), path: layer.pathOf(at) }));
  });
  const overlay = valueAt(membersIn(declaration), toPointer(['projects', project.name, 'ownership']));
  const isOfOverlay = ({ text }: ReadPath): boolean => isJsonObject(overlay) && Object.hasOwn(overlay, text);
  const rules = [
    ...sets.flatMap((set) => sortRules(set.rules)),
    ...sortRules(rulesOf(own.filter((each) => !isOfOverlay(each)))),
    ...sortRules(rulesOf(own.filter(isOfOverlay))),
  ];
  const outside = checkBounds(rules, fields).map(({ at, ...finding }) => ({
    ...finding,
    place: placeAt(places, at),
    path: layer.pathOf(memberPointer(layer, at)),
  }));
  return { rules, diagnostics: [...diagnostics, ...outside] };
}

interface ReadPath {
  /** The path as it is written. */
  readonly text: string;
}

type ReadRule = ReadPath &
  ({ readonly rule: OwnershipRule } | { readonly problem: Pick<Diagnostic, 'code' | 'severity' | 'args'> });

/** Values of the wrong shape were reported by the schema. */
function readRules(written: JsonValue | undefined, places: PlaceTree): ReadRule[] {
  if (!isJsonObject(written)) return [];
  return Object.entries(written).flatMap(([text, value]): ReadRule[] => {
    const ownership = readOwnership(value);
    if (ownership === undefined) return [];
    const path = parseFieldPath(text);
    const source = placeAt(places, toPointer(['ownership', text]));
    if (!('problem' in path)) return [{ text, rule: { path, ownership, source } }];
    const { problem } = path;
    return [{ text, problem: { code: 'ownership-path-invalid', severity: 'error', args: { path: text, problem } } }];
  });
}

function readOwnership(value: JsonValue | undefined): Ownership | undefined {
  if (value === 'managed' || value === 'initial' || value === 'observed') return value;
  const between = isJsonObject(value) ? value['between'] : undefined;
  if (!Array.isArray(between) || between.length !== 2) return undefined;
  const [low, high] = between as readonly JsonValue[];
  return typeof low === 'number' && typeof high === 'number' ? { between: [low, high] } : undefined;
}

function rulesOf(read: readonly ReadRule[]): OwnershipRule[] {
  return read.flatMap((each) => ('rule' in each ? [each.rule] : []));
}

function sortRules(rules: readonly OwnershipRule[]): OwnershipRule[] {
  return rules.toSorted((a, b) => comparePrecision(a.path, b.path));
}
