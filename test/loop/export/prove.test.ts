/** The loop of an export: what is written reads back, in the first form that does, and everything else is left out. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ExportCheck, type ProofSteps, writeProven } from '../../../src/loop/export/prove.ts';

interface Item {
  readonly key: string;
  readonly form: number;
}

/** `soundFrom`: the first form that reads back. `breaks`: whether no file with the item can be read until then. */
interface Nature {
  readonly soundFrom: number;
  readonly breaks: boolean;
}

const FORMS = 2;

function stepsOf(natures: Readonly<Record<string, Nature>>): ProofSteps<Item> {
  const isWrong = ({ key, form }: Item): boolean => form < (natures[key]?.soundFrom ?? 0);
  return {
    keyOf: ({ key }) => key,
    write: (chosen) => [{ path: 'a.yaml', text: chosen.map(({ key, form }) => `${key}${form}`).join(' ') }],
    readBack: (_files, chosen): ExportCheck => {
      const wrong = chosen.filter(isWrong);
      const isBroken = wrong.some(({ key }) => natures[key]?.breaks === true);
      return {
        reasons: new Map(wrong.map(({ key }) => [key, ['reads-differently']])),
        unplaced: isBroken ? ['yaml-syntax'] : [],
      };
    },
    nextForm: ({ key, form }) => (form + 1 < FORMS ? { key, form: form + 1 } : undefined),
  };
}

const natures = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.record({ soundFrom: fc.nat(FORMS), breaks: fc.boolean() }),
);

test('everything is written in its first form that reads back, or left out, whatever else is written', () => {
  fc.assert(
    fc.property(natures, (given) => {
      const all = Object.keys(given).map((key): Item => ({ key, form: 0 }));
      const { chosen, files, notExported } = writeProven(all, stepsOf(given));
      const sound = Object.entries(given).filter(([, { soundFrom }]) => soundFrom < FORMS);
      expect(chosen).toEqual(sound.map(([key, { soundFrom }]) => ({ key, form: soundFrom })));
      expect(files.map(({ text }) => text).join()).toBe(chosen.map(({ key, form }) => `${key}${form}`).join(' '));
      expect(notExported.map(({ one }) => one.key).toSorted()).toEqual(
        Object.keys(given)
          .filter((key) => !sound.some(([one]) => one === key))
          .toSorted(),
      );
    }),
  );
});

test('what cannot be read apart is left out with the errors of its file, each once', () => {
  const steps = { ...stepsOf({}), nextForm: () => undefined };
  const readBack = (): ExportCheck => ({
    reasons: new Map(),
    unplaced: ['yaml-syntax', 'file-too-large', 'yaml-syntax'],
  });
  const { notExported } = writeProven([{ key: 'a', form: 0 }], { ...steps, readBack });
  expect(notExported).toEqual([{ one: { key: 'a', form: 0 }, reasons: ['file-too-large', 'yaml-syntax'] }]);
});

test.each<[string, (chosen: readonly Item[]) => ExportCheck]>([
  ['a problem of something else', () => ({ reasons: new Map([['other', ['reads-differently']]]), unplaced: [] })],
  [
    'a problem that nothing has apart',
    (chosen) => ({ reasons: new Map(), unplaced: chosen.length > 1 ? ['yaml-syntax'] : [] }),
  ],
])('%s ends the export', (_what, check) => {
  const all = ['a', 'b'].map((key): Item => ({ key, form: 0 }));
  const steps = { ...stepsOf({}), readBack: (_files: unknown, chosen: readonly Item[]) => check(chosen) };
  expect(() => writeProven(all, steps)).toThrow('Exported manifests cannot be read');
});
