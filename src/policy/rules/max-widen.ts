/** `max-widen`: no change turns a flag on for more than so many percentage points of a condition's people. */

import { array, boolean, is, number, object, string } from '../../base/schema.ts';
import { matchKeyPatterns } from '../../engine/scope.ts';
import { type JudgedResource, type RuleBreach, sourceOf } from '../basis/judged.ts';
import type { PolicyKind } from '../basis/policy-kind.ts';

export interface MaxWiden {
  readonly written: { readonly points: number };
  readonly options: { readonly points: number };
  /**
   * `points`: percentage points of a condition's people; `exact`: whether they are known, or else an upper bound. `flags`: flags that turn
   * on instead, because they depend on the flag or use the cohort; `points` is then the largest of theirs.
   */
  readonly facts: {
    readonly what: 'max-widen';
    readonly points: number;
    readonly limit: number;
    readonly exact: boolean;
    readonly flags?: readonly string[];
  };
}

export const maxWiden: PolicyKind<MaxWiden> = {
  description: "At most so many percentage points of a condition's people at once.",
  schema: { points: number({ description: "Percentage points of a condition's people.", minimum: 0, maximum: 100 }) },
  read: ({ points }) => ({ points }),
  asksWidening: true,
  // The rule is about the flags that turn on, no matter which change turns them on.
  concerns: ({ widening }, isAbout) => widening?.others.some(({ key }) => isAbout(key)) === true,
  judge: (resource, { points: limit, keys }) => {
    const isAbout = keys === undefined ? () => true : matchKeyPatterns(keys);
    const own = resource.names.some(isAbout) ? findOwn(resource, limit) : [];
    return [...own, ...findOthers(resource, limit, isAbout)];
  },
  // The plan says only what the changed flags do, and not what depends on them.
  stillHolds: ({ points }, policies) => policies.some((policy) => points > policy.points),
  covers: ({ points, exact }, found, isSame) => found.points <= points && isSame({ ...found, points, exact }),
  facts: [
    object({
      what: is('max-widen'),
      points: number("Percentage points of a condition's people"),
      limit: number(),
      exact: boolean('Whether `points` is known; otherwise it is an upper bound'),
      'flags?': array(
        string(),
        'Flags that turn on in its place, because they depend on the flag or use the cohort; `points` is the largest of theirs',
      ),
    }),
  ],
  text: ({ points, limit, exact, flags }, { names }) => {
    const share = `${exact && flags === undefined ? '' : 'up to '}${points}% of a condition's people at once; the limit is ${limit}%`;
    return flags === undefined ? `turns on for ${share}` : `lets ${names(flags)} turn on for ${share}`;
  },
};

function findOwn(resource: JudgedResource, limit: number): RuleBreach<MaxWiden['facts']>[] {
  const { own } = resource.widening ?? {};
  if (own === undefined || own.points <= limit) return [];
  const { points, exact, pointer } = own;
  return [{ facts: { what: 'max-widen', points, limit, exact }, ...sourceOf(resource, pointer) }];
}

/** If the rule applies to the changed flag, it is about what the change does to others; if it applies to another flag, about that flag. */
function findOthers(
  resource: JudgedResource,
  limit: number,
  isAbout: (name: string) => boolean,
): RuleBreach<MaxWiden['facts']>[] {
  const isAboutAll = resource.names.some(isAbout);
  const beyond = (resource.widening?.others ?? []).filter(
    ({ key, points }) => points > limit && (isAboutAll || isAbout(key)),
  );
  if (beyond.length === 0) return [];
  const points = Math.max(...beyond.map((one) => one.points));
  return [{ facts: { what: 'max-widen', points, limit, exact: false, flags: beyond.map(({ key }) => key) } }];
}
