/** `--target`: the part of the desired state that a run is limited to. */

import { describe, expect, it } from 'vitest';
import { KINDS } from '../../../src/posthog/kinds.ts';
import type { PostHog } from '../../../src/posthog/kind.ts';
import { matchTargets } from '../../../src/core/engine/scope.ts';
import { declared, dependsOn, retired } from '../../helpers/states.ts';

const FLAGS = [
  declared('a', { filters: dependsOn('b') }),
  declared('b', { filters: dependsOn('c') }),
  declared('c', { filters: dependsOn('a') }),
  declared('d', { filters: dependsOn(7) }),
  declared('e', { filters: dependsOn('not-declared') }),
  declared('f', { name: 'without filters' }),
  declared('g', { filters: [] as never }),
  retired('h'),
];

const DECLARED = new Map(FLAGS.map((resource) => [resource.key, { family: 'flag', resource }]));

const targeted = (targets: readonly string[] | undefined, keys: readonly string[]): string[] =>
  keys.filter(matchTargets<PostHog>(DECLARED, targets, { kinds: KINDS }));

describe('targets', () => {
  const ALL = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'live'];

  it.each<[readonly string[] | undefined, readonly string[]]>([
    [undefined, ALL],
    [[], ALL],
    [['f'], ['f']],
    [['a'], ['a', 'b', 'c']],
    [['b'], ['a', 'b', 'c']],
    [['d'], ['d']],
    [['e'], ['e']],
    [
      ['g', 'h'],
      ['g', 'h'],
    ],
    [['li*'], ['live']],
    [['nothing'], []],
  ])('%j include the keys %j', (targets, expected) => {
    expect(targeted(targets, ALL)).toEqual(expected);
  });
});
