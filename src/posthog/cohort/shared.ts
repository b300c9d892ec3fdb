/**
 * Cohorts whose name several live ones have, so that nothing tells which one a declaration means. A plan leaves them alone, with
 * the conditions that name them, and says how to merge them.
 */

import { reach } from '../../base/graph.ts';
import { objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { DesiredResource } from '../../engine/desired.ts';
import type { Match, Shared } from '../../engine/matched.ts';
import type { LiveResource } from '../../engine/snapshot.ts';
import type { DeclaredCohort, DeclaredFlag, DesiredCohort, RetiredCohort, RetiredFlag } from '../desired.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortWarning } from './change.ts';
import { nameOfCohort } from './changes.ts';
import { flagsUsing, usesNow } from './uses.ts';

/** A matched resource, as options name it, with the resources that its conditions name. */
export interface NamedPair {
  readonly name: string;
  readonly needs: readonly string[];
  readonly isLive: boolean;
}

/** What a plan holds back, by name: shared cohorts, and what cannot be created without them; and conditions on these. */
export interface HeldBack {
  readonly whole: ReadonlySet<string>;
  readonly conditions: ReadonlySet<string>;
}

export function findHeldBack(shared: readonly Shared<DesiredCohort>[], pairs: readonly NamedPair[]): HeldBack {
  const created = pairs.filter(({ isLive }) => !isLive);
  const names = shared.map(({ desired }) => nameOfCohort(desired.key));
  const whole = reach(names, (one) => created.filter(({ needs }) => needs.includes(one)).map(({ name }) => name));
  const users = pairs.filter(({ isLive, needs }) => isLive && needs.some((one) => whole.has(one)));
  return { whole, conditions: new Set(users.map(({ name }) => name)) };
}

type Desired = DeclaredFlag | DeclaredCohort | RetiredFlag | RetiredCohort;

/** The same pair, without what is held back of it. */
export function holdBack<One extends Desired & DesiredResource, Live extends LiveResource>(
  pair: Match<One, Live>,
  name: string,
  { whole, conditions }: HeldBack,
): Match<One, Live> {
  if (whole.has(name)) return { ...pair, isHeld: true };
  const { desired } = pair;
  if (!conditions.has(name) || desired.kind === 'retired') return pair;
  return { ...pair, desired: { ...desired, fields: withoutFilters(desired.fields) } };
}

function withoutFilters(fields: JsonObject): JsonObject {
  const others = Object.entries(fields).filter(([field]) => field !== 'filters');
  return objectFrom(others as [string, JsonValue][]);
}

/** One warning for each shared name. */
export function warnOfShared(
  shared: readonly Shared<DesiredCohort>[],
  { whole, conditions }: HeldBack,
  { flags, cohorts }: ProjectSnapshot,
): CohortWarning[] {
  if (shared.length === 0) return [];
  const uses = usesNow(flags, cohorts);
  const own = new Set(shared.map(({ desired }) => nameOfCohort(desired.key)));
  const held = [...[...whole].filter((name) => !own.has(name)), ...conditions].toSorted();
  return shared.map(({ desired, name, ids }) => ({
    code: 'cohort_name_shared',
    key: nameOfCohort(desired.key),
    name,
    cohorts: ids.map((id) => ({ id, flags: flagsUsing(id, uses) })),
    held,
  }));
}
