/** How many steps the service's engine can take, which gives up after 10,000, and how big its program is. */

import type { PatternNode, RepeatNode } from './tree.ts';

type IsReferenced = (group: number) => boolean;

/** Whether the engine of fancy-regex has to run, instead of the one that needs no steps back. */
export function isHard(node: PatternNode, isReferenced: IsReferenced): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'assertion':
      return node.isHard;
    case 'group':
      return isReferenced(node.number) || isHard(node.body, isReferenced);
    case 'repeat':
      return isHard(node.body, isReferenced);
    case 'sequence':
    case 'choice':
      return node.items.some((item) => isHard(item, isReferenced));
    case 'look':
    case 'atomic':
    case 'reference':
      return true;
  }
}

export interface Length {
  /** The fewest characters. */
  readonly least: number;
  /** Whether the service's engine sees that it is the only number. */
  readonly isFixed: boolean;
}

export function lengthOf(node: PatternNode): Length {
  switch (node.kind) {
    case 'set':
      return { least: 1, isFixed: true };
    case 'assertion':
    case 'look':
      return { least: 0, isFixed: true };
    case 'reference':
      return { least: 0, isFixed: false };
    case 'group':
    case 'atomic':
      return lengthOf(node.body);
    case 'repeat': {
      const { least, isFixed } = lengthOf(node.body);
      return { least: least * node.least, isFixed: isFixed && node.least === node.most };
    }
    case 'sequence':
    case 'choice': {
      const items = node.items.map(lengthOf);
      const leasts = items.map(({ least }) => least);
      const areFixed = items.every(({ isFixed }) => isFixed);
      if (node.kind === 'sequence') return { least: sum(leasts), isFixed: areFixed };
      const least = Math.min(...leasts);
      return { least, isFixed: areFixed && least === Math.max(...leasts) };
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** A set of Unicode's tables takes this many parts of the service's program. */
const BIG_SET = 200;
const SMALL_SET = 20;

/** An estimate of the size of the service's program. */
export function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return node.isBig ? BIG_SET : SMALL_SET;
    case 'assertion':
    case 'reference':
      return 1;
    case 'group':
    case 'look':
    case 'atomic':
      return sizeOf(node.body) + 1;
    case 'repeat':
      return (sizeOf(node.body) + 1) * Math.max(1, node.most === Infinity ? node.least + 1 : node.most);
    case 'sequence':
    case 'choice':
      return sum(node.items.map(sizeOf)) + 1;
  }
}

/** An upper bound of the ways through a part from one place, and of the places to step back to that they leave. */
interface Ways {
  readonly ways: number;
  readonly marks: number;
}

const ONE_WAY: Ways = { ways: 1, marks: 0 };

/** An upper bound of the steps back in a text of so many characters, for a pattern that is hard. */
export function mostSteps(root: PatternNode, isReferenced: IsReferenced, length: number): number {
  const { marks } = waysOf(root, false, { isReferenced, length });
  const [first] = root.kind === 'sequence' ? root.items : [root];
  const isAnchored = first?.kind === 'assertion' && first.source === '^';
  return (isAnchored ? 1 : length + 1) * (marks + 2);
}

interface WaysContext {
  readonly isReferenced: IsReferenced;
  readonly length: number;
}

/** Follows how fancy-regex compiles: it leaves to the other engine what is not hard and has nothing hard behind it (`isInner`). */
function waysOf(node: PatternNode, isInner: boolean, context: WaysContext): Ways {
  if (!isInner && !isHard(node, context.isReferenced)) return ONE_WAY;
  switch (node.kind) {
    case 'set':
    case 'assertion':
    case 'reference':
      return ONE_WAY;
    case 'group':
      return waysOf(node.body, isInner, context);
    case 'atomic':
      return { ways: 1, marks: waysOf(node.body, false, context).marks };
    case 'look': {
      const { ways, marks } = waysOf(node.body, false, context);
      const alternatives = node.body.kind === 'choice' ? node.body.items.length : 1;
      return { ways: node.opening.endsWith('!') ? 1 : ways * alternatives, marks: marks + alternatives };
    }
    case 'choice': {
      const items = node.items.map((item) => waysOf(item, isInner, context));
      return { ways: sum(items.map(({ ways }) => ways)), marks: sum(items.map(({ marks }) => marks + 1)) };
    }
    case 'sequence':
      return waysOfItems(node.items, isInner, context).reduce(
        (before, { ways, marks }) => ({ ways: before.ways * ways, marks: before.marks + before.ways * marks }),
        ONE_WAY,
      );
    case 'repeat':
      return waysOfRepeat(node, isInner, context);
  }
}

function waysOfItems(items: readonly PatternNode[], isInner: boolean, context: WaysContext): readonly Ways[] {
  const isPlain = (item: PatternNode): boolean => !isHard(item, context.isReferenced);
  const isMoving = (item: PatternNode): boolean => !isPlain(item) || !lengthOf(item).isFixed;
  const from = items.findIndex(isMoving);
  const until = items.findLastIndex(isInner ? isMoving : (item) => !isPlain(item));
  return items.map((item, at) => (at < from || at > until ? ONE_WAY : waysOf(item, true, context)));
}

function waysOfRepeat(node: RepeatNode, isInner: boolean, context: WaysContext): Ways {
  const { body, least, most } = node;
  if (least === 0 && most === 1) {
    const once = waysOf(body, isInner, context);
    return { ways: once.ways + 1, marks: once.marks + 1 };
  }
  const once = waysOf(body, isInner || isHard(node, context.isReferenced), context);
  const times = Math.min(most, Math.max(least, context.length + 1));
  let [ways, marks, all] = [1, 0, least === 0 ? 1 : 0];
  for (let time = 1; time <= times && marks < Infinity; time += 1) {
    marks += ways * (once.marks + 1);
    ways *= once.ways;
    if (time >= least) all += ways;
  }
  return { ways: all, marks: marks + ways };
}
