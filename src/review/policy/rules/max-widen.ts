/** `max-widen`: no change turns a flag on for more than so many percentage points of a condition's people. */

import { array, boolean, is, number, object, string } from '../../../base/schema.ts';
import { matchKeyPatterns } from '../../../core/engine/scope.ts';
import { sourceOf, type PolicyKind, type RuleBreach } from '../basis/policy-kind.ts';

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
    const { names, widening } = resource;
    const isAbout = keys === undefined ? () => true : matchKeyPatterns(keys);
    const isAboutAll = names.some(isAbout);
    const found: RuleBreach<MaxWiden['facts']>[] = [];
    if (isAboutAll && widening !== undefined && widening.own.points > limit) {
      const { points, exact, pointer } = widening.own;
      found.push({ facts: { what: 'max-widen', points, limit, exact }, ...sourceOf(resource, pointer) });
    }
    // If the rule applies to the changed flag, it is about what the change does to others; if it applies to another flag, about that flag.
    const beyond = (widening?.others ?? []).filter(({ key, points }) => points > limit && (isAboutAll || isAbout(key)));
    if (beyond.length > 0) {
      const points = Math.max(...beyond.map((one) => one.points));
      found.push({ facts: { what: 'max-widen', points, limit, exact: false, flags: beyond.map(({ key }) => key) } });
    }
    return found;
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
    const share = `${exact && flags === undefined ? '' : 'up to '}${points}% of a condition's people in one step; the limit is ${limit}%`;
    return flags === undefined ? `turns on for ${share}` : `lets ${names(flags)} turn on for ${share}`;
  },
};
