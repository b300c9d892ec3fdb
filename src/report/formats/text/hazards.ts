/** The safety rules that a plan breaks as text, each with the option that allows it. */

import type { Plan } from '../../../posthog/plan.ts';
import type { Palette } from '../../view.ts';
import { hazardText, permitText } from '../../words/hazards.ts';

/** Heads the hazards of a plan that is shown and not applied. */
export const WOULD_REFUSE = 'Apply would refuse this plan (exit code 4):';

export function hazardLines(plan: Pick<Plan, 'hazards'>, heading: string, palette: Palette): string[] {
  if (plan.hazards.length === 0) return [];
  return [
    palette.error(heading),
    ...plan.hazards.map((hazard) => `  ${hazardText(hazard)} ${palette.dim(`Allow it with ${permitText(hazard)}`)}`),
  ];
}
