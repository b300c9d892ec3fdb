/** The sentences about the people that a change reaches. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Audience, PersonCounts, PersonsRead, Shares } from '../../../src/review/effects/impact.ts';
import {
  impactFacts,
  impactSentence,
  impactTexts,
  personsReadText,
  personsTexts,
  throughText,
} from '../../../src/report/words/effects.ts';

const NONE: Shares = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0 };
const US = {
  number: 2,
  condition: { properties: [{ key: 'country', type: 'person', operator: 'exact', value: ['US'] }] },
};
const audience = (shares: Partial<Shares>, part: Partial<Audience> = {}): Audience => ({
  conditions: [],
  former: [],
  shares: { ...NONE, ...shares },
  method: { kind: 'exact' },
  ...part,
});
const textsOf = (...audiences: readonly Audience[]): string[] =>
  impactTexts({ estimate: { kind: 'audiences', audiences, unmatched: [] } });

describe('impactTexts', () => {
  it.each<[string, readonly Audience[], readonly string[]]>([
    ['everyone', [audience({ turnsOn: 25 })], ['of everyone, 25% get the flag']],
    ['nobody', [audience({})], ['nobody gets a different value']],
    [
      'one of several audiences',
      [audience({ turnsOn: 25.5 }, { conditions: [US] }), audience({}, { others: true })],
      ['of condition 2 (country is US), 25.5% get the flag; nobody else is affected'],
    ],
    [
      'every audience, with the greatest share where it differs among its people',
      [
        audience({ turnsOff: 1, changesVariant: 33.333 }, { former: [US], upTo: true }),
        audience({ changesPayload: 0.001 }, { others: true }),
      ],
      [
        'of former condition 2 (country is US), up to 1% lose the flag, up to 33.33% change variant',
        'of everyone else, less than 0.01% get another payload',
      ],
    ],
    [
      'people in early access',
      [audience({ turnsOn: 100 }, { enrolled: true }), audience({}, { others: true })],
      ['of the people in early access, 100% get the flag; nobody else is affected'],
    ],
    [
      'people whom another condition does not select',
      [
        audience({ turnsOn: 100 }, { conditions: [US], without: { conditions: [], former: [US] } }),
        audience({ turnsOn: 5 }, { others: true }),
      ],
      [
        'of condition 2 (country is US) without former condition 2 (country is US), 100% get the flag',
        'of everyone else, 5% get the flag',
      ],
    ],
  ])('names %s', (_, audiences, expected) => {
    expect(textsOf(...audiences)).toEqual(expected);
  });

  it('promises nothing of what is unknown', () => {
    const estimate = {
      kind: 'audiences',
      audiences: [audience({ turnsOn: 5 }, { others: true }), audience({})],
      unmatched: [US],
      cohortChanges: true,
      uncounted: ['evaluation_runtime'],
    } as const;
    expect(impactTexts({ estimate })).toEqual([
      'of everyone else, 5% get the flag',
      'of condition 2 (country is US): not known, since this release does not know its filter',
      'people who enter or leave the changed cohort are affected too',
      'what evaluation_runtime does to people is not counted',
    ]);
    expect(impactTexts({ estimate: { kind: 'unknown', why: 'format' } })).toEqual([
      'not known, since only the service can evaluate such filters',
    ]);
    expect(impactTexts({ estimate: { kind: 'dormant' } })).toEqual([]);
  });
});

describe('impactSentence', () => {
  const sentenceOf = (...audiences: readonly Audience[]): string | undefined =>
    impactSentence({ key: 'a', by: 'change', estimate: { kind: 'audiences', audiences, unmatched: [] } });

  it('is the text, where there is one and it is short', () => {
    expect(sentenceOf(audience({ turnsOn: 25 }))).toBe('Of everyone, 25% get the flag.');
  });

  it('has the greatest shares of several audiences', () => {
    const audiences = [audience({ turnsOn: 5, turnsOff: 1 }, { conditions: [US] }), audience({ turnsOn: 25 })];
    expect(sentenceOf(...audiences)).toBe(
      'Of the people of a condition, up to 25% get the flag, up to 1% lose the flag.',
    );
  });

  it('does not say that nobody is affected where somebody may be', () => {
    const estimate = { kind: 'audiences', audiences: [], unmatched: [US, US] } as const;
    expect(impactSentence({ key: 'a', by: 'change', estimate })).toBe('Its impact is only partly known.');
  });

  it('counts people where they were counted', () => {
    const persons = { turnsOn: 1, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 3, undecided: 2 };
    expect(impactSentence({ key: 'a', by: 'change', estimate: { kind: 'dormant' }, persons })).toBe(
      'Of 6 people, 1 gets the flag, 2 undecided.',
    );
  });

  it.each([
    [{ kind: 'dormant' } as const, undefined],
    [
      { kind: 'unknown', why: 'format' } as const,
      'Its impact is not known, since only the service can evaluate such filters.',
    ],
  ])('of %j', (estimate, expected) => {
    expect(impactSentence({ key: 'a', by: 'change', estimate })).toBe(expected);
  });
});

describe('the words about counted people', () => {
  const counts = (some: Partial<PersonCounts>): PersonCounts => ({ ...NONE, unchanged: 0, undecided: 0, ...some });
  it.each<[Partial<PersonCounts>, string]>([
    [{}, 'of 0 people, nobody gets a different value'],
    [{ unchanged: 12 }, 'of 12 people, nobody gets a different value'],
    [{ unchanged: 1, turnsOn: 1 }, 'of 2 people, 1 gets the flag'],
    [{ undecided: 5 }, 'of 5 people, 5 undecided'],
    [{ turnsOn: 2, turnsOff: 3, changesVariant: 4, changesPayload: 5, undecided: 6 }, ''],
  ])('%j', (some, text) => {
    const [found = ''] = personsTexts({ persons: counts(some) });
    if (text !== '') expect(found).toMatch(text);
    else expect(found.match(/\d+/g)).toEqual(['20', '2', '3', '4', '5', '6']);
  });

  it('say that nobody gets a different value only of people of whom that is known', () => {
    const number = fc.nat({ max: 2 });
    const any = fc.record({
      turnsOn: number,
      turnsOff: number,
      changesVariant: number,
      changesPayload: number,
      unchanged: number,
      undecided: number,
    });
    fc.assert(
      fc.property(any, (persons) => {
        const { unchanged: _, ...others } = persons;
        const isNobody = Object.values(others).every((one) => one === 0);
        expect(personsTexts({ persons }).join().includes('nobody')).toBe(isNobody);
      }),
    );
  });

  it('are the sentence about a flag, and its facts with the estimate', () => {
    const found = {
      key: 'a',
      by: 'change',
      estimate: { kind: 'audiences', audiences: [audience({ turnsOn: 25 })], unmatched: [] },
      persons: counts({ turnsOn: 3, unchanged: 1 }),
    } as const;
    expect(impactSentence(found)).toBe('Of 4 people, 3 get the flag.');
    expect(impactFacts(found)).toEqual(['of everyone, 25% get the flag', 'of 4 people, 3 get the flag']);
    expect(personsTexts({})).toEqual([]);
  });

  const lines = (count: number, ...first: number[]) => ({ count, first });
  const file: PersonsRead = {
    source: 'file',
    counted: 7,
    duplicate: lines(0),
    withoutId: lines(1, 4),
    malformed: lines(12, 1, 2),
  };
  it.each<[string, PersonsRead, string]>([
    ['a file with faults', file, '7 counted, 1 line without an id (4), 12 malformed lines (1, 2, …)'],
  ])('say which they are: %s', (_what, persons, text) => {
    expect(personsReadText(persons)).toBe(text);
  });
});

it('a flag that does not change itself names what it changes through', () => {
  expect(throughText({ through: ['base', 'other'] })).toBe('changes through base, other');
  expect(throughText({})).toBe('changes through a cohort that it uses');
});
