import { expect, test } from 'vitest';
import { EFFECT_CLASSES, joinReaches, type EffectClass, type Reach } from '../../../src/review/effects/effect.ts';

const ANYTHING = ['turnsOn', 'turnsOff', 'changesVariant'] as const;

/** Limits and last days judge by this: a class with too small a reach passes them. */
const HAPPENS: Readonly<Record<EffectClass, readonly (keyof Reach)[]>> = {
  opaque: ANYTHING,
  're-bucket': ANYTHING,
  create: ['turnsOn'],
  restore: ['turnsOn'],
  enable: ['turnsOn'],
  widen: ['turnsOn'],
  delete: ['turnsOff'],
  kill: ['turnsOff'],
  narrow: ['turnsOff'],
  're-split': ['changesVariant'],
  dependency: [],
  access: [],
  payload: [],
  metadata: [],
};

const reachOf = (...classes: readonly EffectClass[]): string[] =>
  Object.entries(joinReaches(classes)).flatMap(([name, happens]) => (happens ? [name] : []));

test.each(EFFECT_CLASSES)('a change of the class %s does to people what its class says, and nothing else', (name) => {
  expect(reachOf(name)).toEqual(HAPPENS[name]);
});

test('what several classes do to people adds up', () => {
  expect(reachOf('metadata', 'restore', 'narrow')).toEqual(['turnsOn', 'turnsOff']);
});
