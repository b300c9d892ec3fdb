/** Which side moved an early access feature away from the base: what `engine/three-way.ts` asks about it. */

import { jsonEquals, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Divergence } from '../../engine/base.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { Difference } from '../../engine/diff.ts';
import type { Match } from '../../engine/matched.ts';
import {
  classifyAlike,
  classifyAll,
  classifyDelete,
  classifyMissing,
  countAlike,
  withBaseValue,
  type ValueStates,
} from '../../engine/three-way.ts';
import { canonicalFeature, compareFeature } from './canonical.ts';
import type { DeclaredFeature, DesiredFeature } from './desired.ts';
import { ARCHIVED, type LiveFeature, type MatchedFeature } from './live.ts';

export type FormerFeature = Pick<Match<DesiredFeature, MatchedFeature>, 'base' | 'isOther'>;

/** Every field is one value. */
const UNITS: ReadonlySet<string> = new Set();

interface ComparedFeature {
  readonly wanted: JsonObject;
  readonly feature: LiveFeature;
}

type ClassifiedField = Difference & Pick<FieldChange, 'divergence' | 'base'>;

/** A class for each difference. Without a base none has one. */
export function compareWithFormer(
  differences: readonly Difference[],
  compared: ComparedFeature,
  { base, isOther }: FormerFeature,
): { readonly differences: readonly ClassifiedField[]; readonly converged?: number } {
  if (base === undefined) return { differences };
  const former = defined({ isOther });
  if (base === null) return { differences: classifyAlike(differences, former).map(withoutUnit), converged: 0 };
  const values = statesOf(base, compared);
  const isOne = isOther !== true;
  const classified = isOne ? classifyAll(differences, values) : classifyAlike(differences, former);
  return {
    differences: classified.map((one) => withoutUnit(withBaseValue(one, values.states))),
    converged: isOne ? countAlike(values) : 0,
  };
}

/** Of a feature that the service lacks. */
export function classifyMissingFeature({ fields }: DeclaredFeature, { base }: FormerFeature): Divergence | undefined {
  return classifyMissing(defined({ base }), () => base?.kind === 'declared' && isSame(base.fields, fields));
}

/** Of a feature that is to be archived. */
export function classifyEnd(former: FormerFeature, feature: LiveFeature): Divergence | undefined {
  const { base } = former;
  return classifyDelete(former, () => base?.kind === 'declared' && compareFeature(base.fields, feature).length === 0);
}

function statesOf(base: DesiredFeature, { wanted, feature }: ComparedFeature): ValueStates {
  const declared: JsonObject = base.kind === 'retired' ? { stage: ARCHIVED } : base.fields;
  return {
    states: { base: canonicalFeature(declared), live: canonicalFeature(feature), wanted: canonicalFeature(wanted) },
    units: UNITS,
    isDeclared: (pointer) => Object.hasOwn(declared, fromPointer(pointer)[0] ?? ''),
    isChanged: base.kind === 'retired' || !isSame(base.fields, wanted),
  };
}

/** Whether two declarations mean the same. */
function isSame(base: JsonObject, fields: JsonObject): boolean {
  return jsonEquals(canonicalFeature(base), canonicalFeature(fields));
}

function withoutUnit({ path, before, after, divergence, base }: ClassifiedField): ClassifiedField {
  return { path, ...defined({ before, after, divergence, base }) };
}
