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

/** The outcome, if each unknown answer leads to the same one both ways. */
export function rememberDecisions<Question, Outcome>(
  run: DecisionRun<Question, Outcome>,
  room: Room,
): (answer: AnswerOf<Question>) => Outcome | typeof UNDECIDED {
  const root: Fork<Question, Outcome> = { yes: undefined, no: undefined };
  return (answer) => {
    let node = root.yes;
    // Most calls take a way that is known, and end here.
    while (node !== undefined) {
      if (node.isEnd) return node.outcome;
      const answered = answer(node.question);
      if (answered === undefined) break;
      // A name that is computed would take twice the time.
      node = answered ? node.yes : node.no;
    }
    return explore({ run, room, answer }, root);
  };
}

interface Exploring<Question, Outcome> {
  readonly run: DecisionRun<Question, Outcome>;
  readonly room: Room;
  readonly answer: AnswerOf<Question>;
}

/** Grows the tree where it ends, and goes both ways where an answer is unknown. */
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
      [fork, side] = [next, sideOf(answered)];
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

/** The node at the place, to which `taken` leads, with those behind it up to the outcome. Without room, nothing remembers it. */
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

function sideOf(answered: boolean): ForkSide {
  return answered ? 'yes' : 'no';
}
