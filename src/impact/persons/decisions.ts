/** The outcomes of a function that asks questions, remembered as a tree, so that equal answers run the function once. */

/** Must be a function of the answers. */
export type DecisionRun<Question, Outcome> = (ask: (question: Question) => boolean) => Outcome;

/** `undefined`: the answer is unknown. */
export type AnswerOf<Question> = (question: Question) => boolean | undefined;

export const UNDECIDED = 'undecided';

/** The number of nodes that the trees that share it may still get. */
export interface Room {
  nodes: number;
}

export const YES = 1;
export const NO = 2;
export const UNKNOWN = 3;

/** Those who answer, by number. */
export interface Answering<Question> {
  /** Answers by number, at least for those numbers of `list` that are in the range: `YES`, `NO` or `UNKNOWN`. Read before the next call. */
  readonly answersTo: (question: Question, list: Int32Array, range: Range) => Uint8Array;
  readonly answerOf: (one: number) => AnswerOf<Question>;
}

export interface RememberedDecisions<Question, Outcome> {
  /** The outcome, if each unknown answer leads to the same one both ways. */
  readonly decide: (answer: AnswerOf<Question>) => Outcome | typeof UNDECIDED;
  /** Puts the list into another order, and calls `found` with the outcome of those from each `from` to before `until`. */
  readonly decideAll: (list: Int32Array, answering: Answering<Question>, found: TakeOutcome<Outcome>) => void;
}

type TakeOutcome<Outcome> = (outcome: Outcome | typeof UNDECIDED, from: number, until: number) => void;

export function rememberDecisions<Question, Outcome>(
  run: DecisionRun<Question, Outcome>,
  room: Room,
): RememberedDecisions<Question, Outcome> {
  const root: Fork<Question, Outcome> = { yes: undefined, no: undefined };
  const decide = (answer: AnswerOf<Question>): Outcome | typeof UNDECIDED => explore({ run, room, answer }, root);
  return {
    decide,
    // Moves the people at the same node together: for each of them, only an answer is looked up.
    decideAll(list, { answersTo, answerOf }, found) {
      const decideOne = (at: number): void => found(decide(answerOf(list[at] ?? 0)), at, at + 1);
      const all = { fork: root, side: 'yes', from: 0, until: list.length } as const;
      const ahead: Part<Question, Outcome>[] = list.length === 0 ? [] : [all];
      for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
        const { fork, side, from, until } = part;
        const next = fork[side];
        if (next === undefined) {
          // The first of them may grow the tree here.
          decideOne(from);
          if (from + 1 < until) ahead.push({ fork, side, from: from + 1, until });
        } else if (next.isEnd) {
          found(next.outcome, from, until);
        } else {
          const [no, unknown] = divide(list, answersTo(next.question, list, part), part);
          for (let at = unknown; at < until; at += 1) decideOne(at);
          if (from < no) ahead.push({ fork: next, side: 'yes', from, until: no });
          if (no < unknown) ahead.push({ fork: next, side: 'no', from: no, until: unknown });
        }
      }
    },
  };
}

/** The numbers of a list that take one side of a fork. */
type Part<Question, Outcome> = ForkPlace<Question, Outcome> & Range;

/** The places in a list from `from` to before `until`. */
interface Range {
  readonly from: number;
  readonly until: number;
}

/** Puts those with `YES` first, then those with `NO`, and returns where the latter and the unknown ones begin. */
function divide(list: Int32Array, answers: Uint8Array, { from, until }: Range): readonly [no: number, unknown: number] {
  let [no, at, unknown] = [from, from, until];
  while (at < unknown) {
    const one = list[at] ?? 0;
    const answer = answers[one];
    if (answer === NO) at += 1;
    else {
      const place = answer === YES ? no++ : --unknown;
      list[at] = list[place] ?? 0;
      list[place] = one;
      if (answer === YES) at += 1;
    }
  }
  return [no, unknown];
}

interface Exploring<Question, Outcome> {
  readonly run: DecisionRun<Question, Outcome>;
  readonly room: Room;
  readonly answer: AnswerOf<Question>;
}

/** Extends the tree where it ends, and follows both answers if one is unknown. */
function explore<Question, Outcome>(
  exploring: Exploring<Question, Outcome>,
  root: Fork<Question, Outcome>,
): Outcome | typeof UNDECIDED {
  const taken: boolean[] = [];
  let ends = 0;
  const follow = (start: Fork<Question, Outcome>, first: ForkSide): Outcome | typeof UNDECIDED => {
    let [fork, side] = [start, first];
    for (;;) {
      const next = fork[side] ?? grow(exploring, taken, { fork, side });
      if (next.isEnd) {
        ends += 1;
        return ends > MOST_ENDS ? UNDECIDED : next.outcome;
      }
      const answered = exploring.answer(next.question);
      if (answered === undefined) return followBoth(next);
      taken.push(answered);
      [fork, side] = [next, answered ? 'yes' : 'no'];
    }
  };
  const followBoth = (fork: Fork<Question, Outcome>): Outcome | typeof UNDECIDED => {
    const depth = taken.length;
    taken.push(true);
    const one = follow(fork, 'yes');
    if (one === UNDECIDED) return UNDECIDED;
    taken.length = depth;
    taken.push(false);
    return follow(fork, 'no') === one ? one : UNDECIDED;
  };
  return follow(root, 'yes');
}

/** The most combinations of unknown answers: a limit on the time for each call. */
const MOST_ENDS = 64;

type ForkSide = 'yes' | 'no';

type DecisionNode<Question, Outcome> =
  | (Fork<Question, Outcome> & { readonly isEnd: false; readonly question: Question })
  | { readonly isEnd: true; readonly outcome: Outcome };

/** The node after each answer; `undefined` until somebody reaches it. The root has no question, and continues with `yes`. */
interface Fork<Question, Outcome> {
  yes: DecisionNode<Question, Outcome> | undefined;
  no: DecisionNode<Question, Outcome> | undefined;
}

interface ForkPlace<Question, Outcome> {
  readonly fork: Fork<Question, Outcome>;
  readonly side: ForkSide;
}

/** Makes the node to which `taken` leads, with those after it up to the outcome. If there is no room, it is not remembered. */
function grow<Question, Outcome>(
  { run, room, answer }: Exploring<Question, Outcome>,
  taken: readonly boolean[],
  { fork, side }: ForkPlace<Question, Outcome>,
): DecisionNode<Question, Outcome> {
  const asked = new Map<Question, boolean>();
  const outcome = run((question) => {
    const answered = asked.get(question) ?? taken[asked.size] ?? answer(question) ?? true;
    asked.set(question, answered);
    return answered;
  });
  const found = [...asked].slice(taken.length).reduceRight<DecisionNode<Question, Outcome>>(
    (next, [question, answered]) => {
      const [yes, no] = answered ? [next, undefined] : [undefined, next];
      return { isEnd: false, question, yes, no };
    },
    { isEnd: true, outcome },
  );
  if (room.nodes > 0) fork[side] = found;
  room.nodes -= asked.size - taken.length + 1;
  return found;
}
