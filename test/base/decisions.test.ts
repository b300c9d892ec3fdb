/** Remembered decisions against the function itself. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rememberDecisions, UNDECIDED, type AnswerOf, type DecisionRun } from '../../src/base/decisions.ts';
import { holds } from '../helpers/runs.ts';

/** A function of answers: a question, and what follows each answer; a number is an outcome. */
type Tree = number | { readonly ask: number; readonly yes: Tree; readonly no: Tree };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    fc.nat(2),
    fc.record({ ask: fc.nat(4), yes: tie('tree'), no: tie('tree') }),
  ),
}));

/** The answers of some people; a missing one is unknown. */
const people = fc.array(fc.array(fc.constantFrom(true, false, undefined), { minLength: 5, maxLength: 5 }));

function follow(asked: Tree, ask: (question: number) => boolean): number {
  return typeof asked === 'number' ? asked : follow(ask(asked.ask) ? asked.yes : asked.no, ask);
}

/** All outcomes, with each unknown answer both ways. */
function outcomesOf(asked: Tree, answers: readonly (boolean | undefined)[]): ReadonlySet<number> {
  const at = answers.indexOf(undefined);
  if (at === -1) return new Set([follow(asked, (question) => answers[question] === true)]);
  return new Set([true, false].flatMap((known) => [...outcomesOf(asked, answers.with(at, known))]));
}

it.each([0, 3, 1e6])('the outcome is the only one that the unknown answers allow, with room for %s nodes', (nodes) => {
  holds(300, [tree, people], (asked, all) => {
    const decide = rememberDecisions<number, number>((ask) => follow(asked, ask), { nodes });
    const expected = all.map((answers) => {
      const outcomes = [...outcomesOf(asked, answers)];
      return outcomes.length === 1 ? outcomes[0] : UNDECIDED;
    });
    // Each one meets a tree that has grown.
    for (const [index, answers] of all.entries()) expect(decide((question) => answers[question])).toBe(expected[index]);
  });
});

it('equal answers run the function once', () => {
  let ran = 0;
  const run: DecisionRun<string, boolean> = (ask) => {
    ran += 1;
    return ask('a') && ask('b');
  };
  const decide = rememberDecisions(run, { nodes: 100 });
  const answer: AnswerOf<string> = (question) => question === 'a';
  expect([decide(answer), decide(answer), decide(() => true), decide(() => true)]).toEqual([false, false, true, true]);
  expect(ran).toBe(2);
});

it('without room, nothing is remembered, and the outcomes are the same', () => {
  let ran = 0;
  const room = { nodes: 2 };
  const decider = (): ReturnType<typeof rememberDecisions<number, boolean>> =>
    rememberDecisions((ask) => {
      ran += 1;
      return ask(0);
    }, room);
  const [first, second] = [decider(), decider()];
  const outcomes = [first, first, second, second].map((decide) => decide(() => true));
  // The first one takes the room for its question and its outcome, and the second one finds none.
  expect([outcomes, ran, room.nodes]).toEqual([[true, true, true, true], 3, -4]);
});

it('more than 64 combinations of unknown answers are undecided', () => {
  const same =
    (amount: number): DecisionRun<number, boolean> =>
    (ask) => {
      for (let question = 0; question < amount; question += 1) ask(question);
      return true;
    };
  const decideOf = (amount: number): unknown => rememberDecisions(same(amount), { nodes: 1e6 })(() => undefined);
  expect([decideOf(6), decideOf(7)]).toEqual([true, UNDECIDED]);
});
