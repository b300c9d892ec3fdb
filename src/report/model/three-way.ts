/** The differences that a plan does not write: facts about its base, left and released resources, values of others, and unmanaged flags. */

import { defined, ifGiven } from '../../base/optional.ts';
import type { Left } from '../../engine/matched.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine, placeText } from '../escape.ts';
import { spansOf, toned } from '../phrase.ts';
import { baseTexts, deletionHints, type LeavingReason, leftWhole, observedText, ownershipText } from '../words/base.ts';
import { labelsOf, labelsOfPath, labelsOfRef } from '../words/kinds.ts';
import { authoredLeft, authorLines, type Authors } from './authors.ts';
import { BLOCKS, LIST } from './change.ts';
import { fieldLines } from './fields.ts';
import type { ReportFact, ReportGroup } from './report-model.ts';

export function baseFacts(
  plan: Pick<Plan, 'changes' | 'base' | 'converged' | 'left'>,
  how: LeavingReason,
): ReportFact[] {
  return baseTexts(plan, how).map((phrase) => ({ about: 'base', phrase }));
}

/** `counted`: why these differences are not among the changes. `authors`: of the differences, if they were looked up. */
export function leftGroup(
  left: readonly Left[],
  { title, counted }: { readonly title: string; readonly counted: string },
  { verbose, authors }: { readonly verbose: boolean; readonly authors?: Authors | undefined },
): ReportGroup {
  return {
    about: 'left',
    prominence: 'rest',
    title,
    counted: `${left.length} ${counted}`,
    ...BLOCKS,
    entries: left.map((one) => {
      const { ref, key, fields, resource } = one;
      const whole = leftWhole(one);
      // The access to a flag is left under the name of the flag.
      const qualifier = resource === 'role_access' ? '' : labelsOfRef(ref).qualifier;
      const head = [toned('change', '='), ' ', toned('strong', escapeLine(key)), qualifier];
      const made = ifGiven(authors, (known) =>
        authoredLeft({ left: [one] }).flatMap((authored) => authorLines(authored, known)),
      );
      if (whole !== undefined) return { head: [...head, ` ${whole}`], lines: made };
      const labels = labelsOfPath(ref, fields[0]?.path ?? '');
      return { head, lines: [...fieldLines(fields, { verbose, labels, places: true }), ...made] };
    }),
  };
}

export const LEFT = {
  title: 'Left as it is in the service (shown as live → declared)',
  counted: 'left as in the service',
};

export function releasedGroup(released: NonNullable<Plan['released']>): ReportGroup {
  return {
    about: 'released',
    prominence: 'rest',
    title: 'Released (declared at the base, in no manifest now; left alone)',
    counted: `${released.length} released (declared at the base, in no manifest now; left alone)`,
    ...LIST,
    entries: released.map(({ key, place }) => ({
      head: [`? ${escapeLine(key)}`, ...(place === undefined ? [] : ['  ', toned('dim', placeText(place))])],
      lines: [],
    })),
    hints: deletionHints(released),
  };
}

const MOST_UNMANAGED = 20;

export function unmanagedGroup({ unmanaged }: Pick<Plan, 'unmanaged'>, verbose: boolean): ReportGroup {
  const more = `… ${unmanaged.length - MOST_UNMANAGED} more; --verbose lists all`;
  return {
    about: 'unmanaged',
    prominence: 'rest',
    title: 'Unmanaged (in no manifest)',
    counted: `${unmanaged.length} unmanaged (in no manifest)`,
    ...LIST,
    entries: unmanaged.map((key) => ({ head: `? ${escapeLine(key)}`, lines: [] })),
    ...(verbose ? {} : { limit: { entries: MOST_UNMANAGED, more } }),
  };
}

type Observed = NonNullable<Plan['observed']>;

/** Each value, below the key that it shares with others. */
export function observedGroup(observed: Observed, verbose: boolean): ReportGroup {
  const text = observedText(observed);
  const keys = [...new Set(observed.map(({ key }) => key))];
  return {
    about: 'observed',
    prominence: 'rest',
    title: `${text}, as declared → live`,
    form: 'list',
    indent: { head: 4, lines: 4 },
    entries: keys
      .flatMap((key) => observed.filter((one) => one.key === key))
      .map((one) => {
        const field = { path: one.path, ...defined({ before: one.declared, after: one.live, source: one.source }) };
        const labels = labelsOf({ resource: 'flag' });
        const [first = { phrase: '' }, ...lines] = fieldLines([field], { verbose, labels, places: true });
        const head = [...spansOf(first.phrase), '  ', toned('dim', ownershipText(one))];
        return { subject: escapeLine(one.key), head, lines };
      }),
    ...(verbose ? {} : { brief: `${text}; --verbose lists ${observed.length === 1 ? 'it' : 'them'}` }),
  };
}

/** States only that there are some, for comments: there, the values are below. */
export function observedFact(observed: Observed): ReportFact {
  return { about: 'observed', phrase: `${observedText(observed)}.` };
}
