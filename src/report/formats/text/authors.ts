/** Who made the differences of a change: one line where all have the same author, else one for each field. */

import type { Attribution, Attributions } from '../../../posthog/attribution.ts';
import { flagUrl } from '../../../posthog/flag-url.ts';
import type { Change, Plan } from '../../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { Palette } from '../../view.ts';
import { attributionText, reasonText } from '../../words/attributions.ts';
import { labelsOf } from '../../words/kinds.ts';

export interface Authors {
  readonly plan: Pick<Plan, 'project' | 'changes'>;
  readonly attributions?: Attributions | undefined;
}

/** Ends with the page of the flag in the web interface. */
export function authorLines(change: Change, { plan, attributions }: Authors, palette: Palette): string[] {
  const found = [...(attributions?.get(change.ref) ?? [])].filter(([, attribution]) => !isRefusal(attribution));
  if (found.length === 0) return [];
  const texts = found.map(([path, attribution]) => ({ path, text: attributionText(attribution, quoteShort) }));
  const [first] = texts;
  const isOne = texts.every(({ text }) => text === first?.text);
  const lines = isOne
    ? texts.slice(0, 1).map(({ text }) => text)
    : texts.map(({ path, text }) => `${escapeLine(labelsOf(change).field(path))}: ${text}`);
  const url = change.id === undefined ? undefined : flagUrl(plan.project, change.id);
  return [...lines, ...(url === undefined ? [] : [escapeLine(url)])].map((line) => palette.dim(line));
}

/** Why nobody is named at all: said once. */
export function refusalLines({ attributions }: Authors, palette: Palette): string[] {
  const refusal = [...(attributions?.values() ?? [])].flatMap((ofChange) => [...ofChange.values()]).find(isRefusal);
  if (refusal?.kind !== 'unknown') return [];
  return [palette.dim(`Who made these changes is unknown: ${reasonText(refusal, quoteShort)}.`)];
}

function isRefusal(attribution: Attribution): boolean {
  return attribution.kind === 'unknown' && attribution.reason === 'forbidden';
}
