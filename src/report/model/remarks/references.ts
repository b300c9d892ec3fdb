/** The remarks of a search of code: at the places that read what is gone or not declared, and at the declarations that nothing reads, or that can go. */

import { defined } from '../../../base/optional.ts';
import { SIGNALS } from '../../../references/staleness.ts';
import { isStillRead, type JudgedFlag } from '../../../references/use.ts';
import { quoteShort } from '../../escape.ts';
import { meantKey, unknownReadsOf } from '../../reference-counts.ts';
import type { ReportOf, StaleReport } from '../../report.ts';
import { STANDING_WORDS } from '../../words/references.ts';
import { signalText, STEP_WORDS } from '../../words/stale.ts';
import type { Remark } from './remark.ts';

/** Places of other repositories have no line here. */
export function referenceRemarks(report: ReportOf<'refs'>): Remark[] {
  const unknown = unknownReadsOf(report).map(({ key, place, repository }): Remark => {
    const meant = meantKey(report, key);
    return {
      family: 'refs',
      rule: 'not-declared',
      level: 'warning',
      text: `Code reads the flag ${quoteShort(key)}${inRepository(repository)}, which no manifest declares.`,
      remedy: meant === undefined ? 'Declare it, or correct the key.' : `Did you mean ${quoteShort(meant)}?`,
      name: key,
      ...defined({ place: repository === undefined ? place : undefined }),
    };
  });
  return [...report.flags.flatMap(flagRemarks), ...unknown];
}

function flagRemarks(flag: JudgedFlag): readonly Remark[] {
  if (isStillRead(flag)) return stillReadRemarks(flag);
  const { key, place, use } = flag;
  if (use.verdict !== 'not_found' || flag.standing === 'deleted' || flag.standing === 'renamed') return [];
  const text = `The flag ${quoteShort(key)} was found nowhere in the code.`;
  return [{ family: 'refs', rule: 'not-found', level: 'note', text, name: key, ...defined({ place }) }];
}

function stillReadRemarks({ key, standing, to, use }: JudgedFlag): readonly Remark[] {
  const { is, gets } = STANDING_WORDS[standing];
  return use.references
    .filter(({ certain }) => certain)
    .map(({ place, repository }) => ({
      family: 'refs',
      rule: RULES[standing] ?? standing,
      level: 'warning',
      text: `Code reads the flag ${quoteShort(key)}${inRepository(repository)}, which is ${is}${to === undefined ? '' : ` to ${quoteShort(to)}`}${gets === undefined ? '' : `: ${gets}`}.`,
      name: key,
      ...defined({ place: repository === undefined ? place : undefined }),
    }));
}

const RULES: Partial<Readonly<Record<JudgedFlag['standing'], string>>> = { rolled_out: 'rolled-out' };

function inRepository(repository: string | undefined): string {
  return repository === undefined ? '' : ` in ${quoteShort(repository)}`;
}

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
