/** The safety rules that a plan breaks as text, each with the option that allows it. */

import type { Hazard, Plan } from '../../../posthog/plan.ts';
import type { Palette } from '../../view.ts';
import { escapeLine } from '../../escape.ts';
import { hazardText, waysOut } from '../../words/hazards.ts';

/** Heads the hazards of a plan that is shown and not applied. */
export const WOULD_REFUSE = 'Apply would refuse this plan (exit code 4):';

export function hazardLines(plan: Pick<Plan, 'hazards'>, heading: string, palette: Palette): string[] {
  if (plan.hazards.length === 0) return [];
  return [palette.error(heading), ...plan.hazards.flatMap((hazard) => oneHazard(hazard, palette))];
}

/** One way out stands on the line of the hazard, several below it. */
function oneHazard(hazard: Hazard, palette: Palette): string[] {
  const [first, ...others] = waysOut(hazard).map(({ words, text }) => palette.dim(`${words} ${escapeLine(text)}`));
  const head = `  ${hazardText(hazard)}`;
  return others.length === 0 ? [`${head} ${first}`] : [head, ...[first, ...others].map((line) => `    ${line}`)];
}
