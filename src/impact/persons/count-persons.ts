/** Counts people by what becomes of them. Keeps counts and hashes of ids, and neither an id nor a property. */

import { arrayOrEmpty, isJsonObject } from '../../base/json.ts';
import { findEffects } from '../../effects/find-effects.ts';
import { findAggregation } from '../../evaluation/condition.ts';
import { rolloutHash } from '../../evaluation/hash.ts';
import { conditionsOf, propertiesOf } from '../../evaluation/parts.ts';
import type { Condition, Flag } from '../../posthog/flag/flag.ts';
import { isOpaque } from '../../posthog/flag/opaque.ts';
import { findConcerned, pairOf } from '../concerned.ts';
import type { Circumstances, Planned } from '../find-impact.ts';
import type { Impact, Lines, PersonCounts } from '../impact.ts';
import type { Pair } from '../outcome.ts';
import { closureOf, cohortsOf, makeWorlds, type Worlds } from '../worlds.ts';
import { decidePerson, type Asked } from './decide-person.ts';
import type { Entry, Person } from './person.ts';

/** The impact with the counts of the people. */
export async function countPersons(
  impact: Impact,
  entries: AsyncIterable<Entry>,
  counting: { readonly planned: Planned; readonly circumstances: Circumstances },
): Promise<Impact> {
  const cases = prepareCases(counting.planned, counting.circumstances);
  const isNew = createMemory();
  const tally = { counted: 0, duplicate: noLines(), withoutId: noLines(), malformed: noLines() };
  for await (const entry of entries) {
    if ('fault' in entry && entry.fault === 'no_id') addLines(tally.withoutId, entry.line, 1);
    else if ('fault' in entry) addLines(tally.malformed, entry.line, entry.lines);
    else if (!isNew(entry.person.distinctId)) addLines(tally.duplicate, entry.line, 1);
    else {
      tally.counted += 1;
      for (const one of cases.values()) countPerson(entry.person, one);
    }
  }
  const flags = impact.flags.map((flag) => {
    const persons = cases.get(flag.key)?.counts;
    return persons === undefined ? flag : { ...flag, persons };
  });
  return { ...impact, flags, persons: tally };
}

function countPerson(person: Person, { asked, counts }: Case): void {
  const outcome = asked === undefined ? 'undecided' : decidePerson(person, asked);
  counts[outcome ?? 'unchanged'] += 1;
}

interface Case {
  readonly asked?: Asked;
  readonly counts: { -readonly [Kind in keyof PersonCounts]: number };
}

function prepareCases({ changes, warnings, live }: Planned, circumstances: Circumstances): ReadonlyMap<string, Case> {
  const worlds = makeWorlds(changes, live);
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds);
  const viaCohorts = new Set(concerned.flatMap(({ key, cohortChanges }) => (cohortChanges ? [key] : [])));
  return new Map(
    concerned.map((one): [string, Case] => {
      const cohortChanges = dependsOnSome(one.key, viaCohorts, worlds);
      const asked = askedOf(pairOf(one, worlds), cohortChanges, circumstances);
      const counts = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 0, undecided: 0 };
      return [one.key, asked === undefined ? { counts } : { asked, counts }];
    }),
  );
}

/** `undefined` where only the service can evaluate the flag. */
function askedOf(pair: Pair, cohortChanges: boolean, circumstances: Circumstances): Asked | undefined {
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  const flags = sides.flatMap((side) => side.flags);
  const isDormant = sides.every(({ flag }) => flag.active === false);
  if (!isDormant && flags.some(({ filters }) => isOpaque(filters))) return undefined;
  const cohorts = Object.fromEntries(cohortsOf(flags).map((id) => [id, { kind: 'static' } as const]));
  return {
    pair,
    context: { ...circumstances, timeZone: 'UTC', groupTypes: TYPES, cohorts },
    groupTypes: groupTypesOf(flags),
    byDevice: flags.some((flag) => flag['bucketing_identifier'] === 'device_id'),
    enrolments: [...new Set(flags.flatMap(enrolmentsOf))],
    cohortChanges,
  };
}

function enrolmentsOf({ key, filters }: Flag): readonly string[] {
  if (filters?.['feature_enrollment'] === true) return [`$feature_enrollment/${key}`];
  const [first] = arrayOrEmpty(filters?.['super_groups']);
  const properties = isJsonObject(first) ? (propertiesOf(first as Condition) ?? []) : [];
  return properties.map((property) => String(property.key));
}

/** Each named by its index, as in the file. */
const TYPES = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index), String(index)]));

function groupTypesOf(flags: readonly Flag[]): readonly string[] {
  const types = flags.flatMap((flag) => [
    flag.filters?.aggregation_group_type_index,
    ...conditionsOf(flag.filters).map(([, condition]) => findAggregation(flag, condition)),
  ]);
  return [...new Set(types.flatMap((type) => (typeof type === 'number' ? [String(type)] : [])))];
}

function dependsOnSome(key: string, wanted: ReadonlySet<string>, { before, after }: Worlds): boolean {
  return [before, after].some((world) => [...closureOf([key], world)].some((name) => wanted.has(name)));
}

/**
 * Whether an id comes for the first time. Hashes take less memory than ids; that two of a million ids have the same one happens
 * in one of 10,000 files. A set holds at most 2^24 entries, so there are several.
 */
function createMemory(): (id: string) => boolean {
  const sets = Array.from({ length: SETS }, () => new Set<number>());
  return (id) => {
    const hash = rolloutHash('', id);
    const set = sets[Math.min(Math.floor(hash * SETS), SETS - 1)];
    if (set === undefined || set.has(hash)) return false;
    set.add(hash);
    return true;
  };
}

const SETS = 64;
const MOST_NAMED = 5;

interface Counted extends Lines {
  count: number;
  readonly first: number[];
}

function noLines(): Counted {
  return { count: 0, first: [] };
}

function addLines(lines: Counted, from: number, amount: number): void {
  lines.count += amount;
  for (let line = from; line < from + amount && lines.first.length < MOST_NAMED; line += 1) lines.first.push(line);
}
