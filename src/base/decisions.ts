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

/** The most combinations of unknown answers: a limit on the time for each call. */
const MOST_ENDS = 64;

/** Returns a function that finds the outcome, if each unknown answer leads to the same one both ways. */
export function rememberDecisions<Question, Outcome>(
  run: DecisionRun<Question, Outcome>,
  room: Room,
): (answer: AnswerOf<Question>) => Outcome | typeof UNDECIDED {
  /** The root has no question, and continues with `yes`. */
  const root: Fork<Question, Outcome> = { yes: undefined, no: undefined };
  return (answer) => {
    // Most answers are known and lead to an outcome that is.
    let known = root.yes;
    while (known !== undefined && !known.isEnd) {
      const answered = answer(known.question);
      known = answered === undefined ? undefined : known[answered ? 'yes' : 'no'];
    }
    if (known !== undefined) return known.outcome;
    const taken: boolean[] = [];
    let ends = 0;
    /** Makes the node to which `taken` leads, with those after it up to the outcome. */
    const grow = (): DecisionNode<Question, Outcome> => {
      const asked = new Map<Question, boolean>();
      const outcome = run((question) => {
        const answered = asked.get(question) ?? taken[asked.size] ?? answer(question) ?? true;
        asked.set(question, answered);
        return answered;
      });
      room.nodes -= asked.size - taken.length + 1;
      return [...asked].slice(taken.length).reduceRight<DecisionNode<Question, Outcome>>(
        (next, [question, answered]) => {
          const [yes, no] = answered ? [next, undefined] : [undefined, next];
          return { isEnd: false, question, yes, no };
        },
        { isEnd: true, outcome },
      );
    };
    const nodeAt = (fork: Fork<Question, Outcome>, side: 'yes' | 'no'): DecisionNode<Question, Outcome> => {
      const [known, hasRoom] = [fork[side], room.nodes > 0];
      if (known !== undefined) return known;
      const grown = grow();
      if (hasRoom) fork[side] = grown;
      return grown;
    };
    const follow = (fork: Fork<Question, Outcome>, side: 'yes' | 'no'): Outcome | typeof UNDECIDED => {
      let node = nodeAt(fork, side);
      while (!node.isEnd) {
        const answered = answer(node.question);
        if (answered === undefined) {
          const depth = taken.length;
          taken.push(true);
          const one = follow(node, 'yes');
          if (one === UNDECIDED) return UNDECIDED;
          taken.length = depth;
          taken.push(false);
          return follow(node, 'no') === one ? one : UNDECIDED;
        }
        taken.push(answered);
        node = nodeAt(node, answered ? 'yes' : 'no');
      }
      ends += 1;
      return ends > MOST_ENDS ? UNDECIDED : node.outcome;
    };
    return follow(root, 'yes');
  };
}

type DecisionNode<Question, Outcome> =
  | (Fork<Question, Outcome> & { readonly isEnd: false; readonly question: Question })
  | { readonly isEnd: true; readonly outcome: Outcome };

/** The node after each answer; `undefined` until somebody reaches it. */
interface Fork<Question, Outcome> {
  yes: DecisionNode<Question, Outcome> | undefined;
  no: DecisionNode<Question, Outcome> | undefined;
}
