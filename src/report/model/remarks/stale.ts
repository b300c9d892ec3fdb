/** The remarks about flags that can go: at their declarations. */

import { defined } from '../../../base/optional.ts';
import { SIGNALS } from '../../../references/staleness.ts';
import { quoteShort } from '../../escape.ts';
import type { StaleReport } from '../../report.ts';
import { signalText, STEP_WORDS } from '../../words/stale.ts';
import type { Remark } from './remark.ts';

export function staleRemarks({ flags }: StaleReport): Remark[] {
  return flags
    .filter(({ step }) => step !== 'none')
    .map((flag) => {
      const evidence = SIGNALS.filter((name) => flag.signals[name] !== 'unknown').map((name) => signalText(flag, name));
      return {
        family: 'refs',
        rule: 'stale',
        level: 'note',
        text: `The flag ${quoteShort(flag.key)} may go: ${evidence.join('; ')}.`,
        remedy: STEP_WORDS[flag.step].what,
        name: flag.key,
        ...defined({ place: flag.place }),
      };
    });
}
