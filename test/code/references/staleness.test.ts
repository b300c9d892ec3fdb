import { describe, expect, test } from 'vitest';
import {
  joinTendencies,
  nextStep,
  SIGNALS,
  TAKING,
  TENDENCIES,
  tendencyOfCode,
  type FlagState,
  type Signals,
  type Tendency,
} from '../../../src/code/references/staleness.ts';

const STATES: readonly FlagState[] = ['on', 'off', 'unarchived', 'archived', 'absent'];

/** Every combination of what the signals may say, with every state. */
const ALL = SIGNALS.reduce<readonly Partial<Signals>[]>(
  (some, name) => some.flatMap((one) => TENDENCIES.map((tendency) => ({ ...one, [name]: tendency }))),
  [{}],
).flatMap((signals) => STATES.map((state) => ({ signals: signals as Signals, state })));

const step = ({ signals, state }: (typeof ALL)[number], isHeld = false): string => nextStep(signals, state, isHeld);

describe('laws over every combination', () => {
  test('one signal alone takes nothing from anybody, and removes no code', () => {
    for (const one of ALL) {
      if (SIGNALS.filter((name) => one.signals[name] === 'for').length > 1) continue;
      expect([...TAKING, 'remove_code'], JSON.stringify(one)).not.toContain(step(one));
    }
  });

  test('a flag is taken away only where no code reads it and nothing is known to call it', () => {
    const taking = ALL.filter((one) => TAKING.has(nextStep(one.signals, one.state, false)));
    expect(taking.length).toBeGreaterThan(0);
    for (const { signals } of taking) {
      expect(signals.code).toBe('for');
      expect(signals.calls).not.toBe('against');
    }
  });

  test('an active flag is disabled only if it is known that nothing calls it', () => {
    for (const one of ALL) if (step(one) === 'disable') expect(one.signals.calls).toBe('for');
  });

  test('nothing is deleted before it is off, nor archived twice', () => {
    for (const one of ALL) {
      if (step(one) === 'disable') expect(one.state).toBe('on');
      if (step(one) === 'archive') expect(one.state).toBe('unarchived');
      if (step(one) === 'delete') expect(['off', 'archived']).toContain(one.state);
    }
  });

  test('what something in the service uses is released first', () => {
    for (const one of ALL) expect(step(one, true)).toBe(TAKING.has(step(one) as 'delete') ? 'release' : step(one));
  });

  test('one more signal against a flag never brings it nearer to its end', () => {
    for (const one of ALL) {
      for (const name of SIGNALS.filter((signal) => signal !== 'code')) {
        const other = { ...one, signals: { ...one.signals, [name]: 'against' as const } };
        if (TAKING.has(step(other) as 'delete')) expect(TAKING.has(step(one) as 'delete')).toBe(true);
      }
    }
  });
});

test.each([
  ['read', 'against'],
  ['possible', 'unknown'],
  ['indirect', 'unknown'],
  ['unknown', 'unknown'],
  ['not_found', 'for'],
] as const)('the verdict %s is %s', (verdict, tendency) => {
  expect(tendencyOfCode({ verdict })).toBe(tendency);
});

test.each<[next: string, state: FlagState, said: Partial<Signals>, isHeld?: boolean]>([
  ['find_out', 'on', { code: 'unknown', calls: 'for' }],
  ['find_out', 'off', { code: 'unknown', expiry: 'for' }],
  ['remove_code', 'on', { code: 'against', answer: 'for', age: 'for' }],
  ['decide', 'on', { code: 'against', expiry: 'for' }],
  ['deploy', 'on', { code: 'for', calls: 'against' }],
  ['disable', 'on', { code: 'for', calls: 'for' }],
  ['release', 'on', { code: 'for', calls: 'for' }, true],
  ['archive', 'unarchived', { code: 'for', age: 'for' }],
  ['delete', 'off', { code: 'for', calls: 'for' }],
  ['delete', 'archived', { code: 'for', age: 'for' }],
  ['wait', 'on', { code: 'for', age: 'for' }],
  ['wait', 'archived', { code: 'for' }],
  ['none', 'on', { code: 'against', age: 'for' }],
  ['none', 'on', {}],
])('the next step is %s for a flag that is %s, by %j', (next, state, said, isHeld = false) => {
  const nothing = Object.fromEntries(SIGNALS.map((name) => [name, 'unknown'])) as Signals;
  expect(nextStep({ ...nothing, ...said }, state, isHeld)).toBe(next);
});

test.each<[all: readonly Tendency[], joined: Tendency]>([
  [['for', 'for'], 'for'],
  [['for', 'unknown'], 'unknown'],
  [['unknown', 'against', 'for'], 'against'],
  [[], 'unknown'],
])('what projects say, %j, is together %s', (all, joined) => expect(joinTendencies(all)).toBe(joined));
