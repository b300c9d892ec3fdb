/** What becomes of one person, of whom some things may be unknown. */

import { objectFrom } from '../../base/json.ts';
import { withInitialProperties } from '../../evaluation/initial-properties.ts';
import type { EvaluationContext, Subject } from '../../evaluation/input.ts';
import { jsonText } from '../../evaluation/values/text.ts';
import type { Property } from '../../posthog/flag/flag.ts';
import { compareValues, valueOf, type Outcome, type Pair } from '../outcome.ts';
import { followPaths, type Decide } from '../paths.ts';
import type { Person } from './person.ts';

export interface Asked {
  readonly pair: Pair;
  readonly context: EvaluationContext;
  /** Indexes of the types of groups by which conditions assign people. */
  readonly groupTypes: readonly string[];
  readonly byDevice: boolean;
  /** Properties by which people are in early access. */
  readonly enrolments: readonly string[];
  /** Members of cohorts may differ before and after. */
  readonly cohortChanges: boolean;
}

/** `undecided` where the outcome depends on what is unknown: each unknown answer is taken both ways. */
export function decidePerson(person: Person, asked: Asked): Outcome | 'undecided' {
  const known = withInitialProperties({ distinct_id: person.distinctId, ...person.properties });
  const found = followPaths((decide) => runOnce({ person, known, decide }, asked), MOST_PATHS);
  const [first] = found ?? [];
  return first !== undefined && found?.every(({ outcome }) => outcome === first.outcome) === true
    ? first.outcome
    : 'undecided';
}

/** Above, the person counts as undecided: it bounds the time for each. */
const MOST_PATHS = 64;

interface Run {
  readonly person: Person;
  /** The properties that are known, `distinct_id` included. */
  readonly known: Subject['personProperties'];
  readonly decide: Decide;
}

function runOnce(run: Run, asked: Asked): Outcome {
  const { pair, context } = asked;
  const subject = subjectOf(run, asked);
  const [former, wanted] = [pair.before, pair.after].map((side, index) =>
    valueOf(side, subject, {
      ...context,
      assumptions: {
        hash: (hash, share) => (hash.identifier.startsWith(UNKNOWN) ? run.decide(hash, share) : undefined),
        filter: (property) =>
          isKnown(property, run, asked)
            ? undefined
            : toss(run, `${separates(property, asked) ? index : ''} ${jsonText(property)}`),
      },
    }),
  );
  return compareValues(former ?? false, wanted ?? false, pair.payloads);
}

/** Starts the identifiers that stand for unknown ones. */
const UNKNOWN = '\u0000unknown ';

/** The same answer to the same question in one run. */
function toss({ decide }: Run, question: string): boolean {
  return decide({ kind: 'rollout', flagKey: UNKNOWN, identifier: question }, 0.5);
}

/** With and without each group, device and enrolment of which the file says nothing. */
function subjectOf(run: Run, { groupTypes, byDevice, enrolments }: Asked): Subject {
  const { distinctId, groups, cohorts = [] } = run.person;
  const missing = groupTypes.filter((type) => !Object.hasOwn(groups, type) && toss(run, `group ${type}`));
  const assumed = Object.fromEntries(missing.map((type) => [type, `${UNKNOWN}${type}`]));
  const undeclared = enrolments.filter((name) => !Object.hasOwn(run.known, name) && toss(run, `has ${name}`));
  const enrolled = objectFrom(undeclared.map((name) => [name, toss(run, `enrolled ${name}`)]));
  return {
    distinctId,
    personProperties: undeclared.length === 0 ? run.known : { ...run.known, ...enrolled },
    groups: { ...groups, ...assumed },
    groupProperties: {},
    cohortIds: cohorts,
    ...(byDevice && toss(run, 'device') ? { deviceId: `${UNKNOWN}device` } : {}),
  };
}

/** The filter does not say whether a property without a type is of a person: the condition does. */
function isKnown(property: Property, { person, known }: Run, { groupTypes, cohortChanges }: Asked): boolean {
  const key = String(property.key);
  switch (property.type ?? undefined) {
    case 'cohort':
      return person.cohorts !== undefined && !cohortChanges;
    case 'group':
      return key === '$group_key' && Object.hasOwn(person.groups, jsonText(property['group_type_index'] ?? null));
    case undefined:
      return groupTypes.length === 0 && Object.hasOwn(known, key);
    case 'person':
      return Object.hasOwn(known, key);
    case 'flag':
      return true;
    default:
      return true; // a type newer than this release, which nobody matches
  }
}

function separates({ type }: Property, { cohortChanges }: Asked): boolean {
  return type === 'cohort' && cohortChanges;
}
