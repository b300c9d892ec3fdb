import { expect, test } from 'vitest';
import { parseManifest } from '../../../src/posthog/manifests/manifests.ts';
import { overTime } from '../../../src/posthog/manifests/manifests.ts';

const step = (at: string, to: number): string => `{ at: ${at}, to: ${to} }`;
const rollout = (...steps: string[]): string => `{ rollout_percentage: { steps: [${steps.join(', ')}] } }`;
const FIRST = '2026-12-01T09:00:00Z';
const SECOND = '2026-12-03T09:00:00+01:00';
const THIRD = '2026-12-05T00:00:00Z';

function filesOf(...texts: readonly string[]) {
  return texts.map((text, index) => parseManifest(`flags/${index}.yaml`, text).file);
}

/** The times that are resolved for each question. */
function resolvedFor(texts: readonly string[], questions: readonly string[]): readonly string[] {
  const resolved: number[] = [];
  const at = overTime(filesOf(...texts), (time) => {
    resolved.push(time);
    return time;
  });
  return questions.map((question) => new Date(at(Date.parse(question))).toISOString());
}

const before = (at: string): string => new Date(Date.parse(at) - 1).toISOString();
const iso = (at: string): string => new Date(at).toISOString();

test('manifests are resolved once between two steps, of all files and flags together', () => {
  const texts = [
    `flags: { a: ${rollout(step(FIRST, 10), step(THIRD, 50))}, plain: { rollout_percentage: 5 } }`,
    `flags: { b: ${rollout(step(SECOND, 10), step(THIRD, 20))} }`,
  ];
  const questions = [
    '2026-01-01T00:00:00Z',
    before(FIRST),
    FIRST,
    before(SECOND),
    SECOND,
    before(THIRD),
    THIRD,
    '2030-01-01T00:00:00Z',
  ];
  expect(resolvedFor(texts, questions)).toEqual(
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', FIRST, FIRST, SECOND, SECOND, THIRD, THIRD].map(iso),
  );
});

test('the time that is asked about first is the one of its stretch, and each answer is the same object', () => {
  const at = overTime(filesOf(`flags: { a: ${rollout(step(FIRST, 10))} }`), (time) => ({ time }));
  const [late, early] = [at(Date.parse('2027-01-01T00:00:00Z')), at(Date.parse('2026-01-01T00:00:00Z'))];
  expect(at(Date.parse(FIRST))).toBe(late);
  expect(at(Date.parse(before(FIRST)))).toBe(early);
  expect(early).not.toBe(late);
});

test('without rollouts, and with one that cannot be read, nothing changes over time', () => {
  const wrong = '{ rollout_percentage: { steps: [{ at: soon, to: 5 }] } }';
  const questions = ['2026-01-01T00:00:00Z', '2030-01-01T00:00:00Z'];
  for (const text of ['flags: { a: { rollout_percentage: 5 } }', `flags: { a: ${wrong} }`, '']) {
    expect(resolvedFor([text], questions)).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'].map(iso));
  }
});
