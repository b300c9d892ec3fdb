/** What `stale` tells a chat: one group for each owner, with the next actions. */

import { groupBy } from '../../base/group.ts';
import { type StaleFlag, STEPS } from '../../code/references/staleness.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { STEP_WORDS } from '../words/code.ts';
import { type MessageFacts, type MessageItem, type MessageLine, named } from './message.ts';

export function staleFacts({ flags, judged }: ReportOf<'stale'>): MessageFacts {
  const listed = flags.filter(({ step }) => step !== 'none');
  const owners = groupBy(listed, ({ owner }) =>
    // Who declared or created a flag need not own it.
    owner?.by === 'tag' || owner?.by === 'code_owners' ? owner.name : '',
  );
  const groups = [...owners].toSorted(([, a], [, b]) => b.length - a.length);
  return {
    head: [`${count(listed.length, 'flag')} of ${judged} can go or need a decision`],
    items: groups.map(([owner, own]): MessageItem =>
      owner === ''
        ? { label: 'Without a known owner', name: count(own.length, 'flag'), text: actionsOf(own) }
        : { label: 'Owner', name: owner, text: actionsOf(own) },
    ),
  };
}

/** The steps nearest to the end first. */
function actionsOf(flags: readonly StaleFlag[]): MessageLine {
  return STEPS.toReversed().flatMap((step) => {
    const own = flags.filter((flag) => flag.step === step);
    if (own.length === 0) return [];
    const shown = own.slice(0, MOST_NAMED).flatMap(({ key }, index) => [...(index === 0 ? [] : [', ']), named(key)]);
    const more = own.length > MOST_NAMED ? ` and ${own.length - MOST_NAMED} more` : '';
    return [`${STEP_WORDS[step].title}: `, ...shown, `${more}. `];
  });
}

const MOST_NAMED = 5;
