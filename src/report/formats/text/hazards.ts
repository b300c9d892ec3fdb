/** The safety rules that a plan breaks, each with the option that permits it. */

import type { Plan } from '../../../posthog/plan.ts';
import type { Palette } from '../../view.ts';
import { hazardText, permitText } from '../../words/hazards.ts';

export function hazardLines(plan: Pick<Plan, 'hazards'>, palette: Palette): string[] {
  if (plan.hazards.length === 0) return [];
  return [
    palette.error('Apply would refuse this plan (exit code 4):'),
    ...plan.hazards.map((hazard) => `  ${hazardText(hazard)} ${palette.dim(`Permit it with ${permitText(hazard)}`)}`),
  ];
}
