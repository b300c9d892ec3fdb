/** Finds resources that a plan must skip because their name is ambiguous in the service, and everything that depends on them. */

import { reach } from '../../base/graph.ts';
import { objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { DesiredResource } from '../../engine/desired.ts';
import type { Match } from '../../engine/matched.ts';
import type { LiveResource } from '../../engine/snapshot.ts';
import type { PostHog } from '../kind.ts';

/** A matched resource, as options name it, with the resources that its conditions name. */
export interface NamedPair {
  readonly name: string;
  readonly needs: readonly string[];
  readonly isLive: boolean;
}

/**
 * The resources that a plan holds back, by name: shared resources, and those that cannot be created without them; and conditions on these.
 */
export interface HeldBack {
  readonly whole: ReadonlySet<string>;
  readonly conditions: ReadonlySet<string>;
}

/** `shared`: as options name them. */
export function findHeldBack(shared: readonly string[], pairs: readonly NamedPair[]): HeldBack {
  const created = pairs.filter(({ isLive }) => !isLive);
  const whole = reach(shared, (one) => created.filter(({ needs }) => needs.includes(one)).map(({ name }) => name));
  const users = pairs.filter(({ isLive, needs }) => isLive && needs.some((one) => whole.has(one)));
  return { whole, conditions: new Set(users.map(({ name }) => name)) };
}

/** The same pair, without its parts that are held back. */
export function holdBack<One extends PostHog['desired'] & DesiredResource, Live extends LiveResource>(
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
